package dev.decant.lab.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseScannerTest {
  private static final String RESPONSE = "HTTP/1.1 200 OK\r\nDate: x\r\ncontent-Length:  5\r\nServer: y\r\n\r\nhello";

  private final ResponseScanner scanner = new ResponseScanner();

  private boolean take(String text) throws IOException {
    return scanner.take(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
  }

  @Test
  void aResponseIsCompleteWithItsLastByteHoweverItIsCut() throws IOException {
    for (int cut = 0; cut < RESPONSE.length(); cut++) {
      assertThat(take(RESPONSE.substring(0, cut))).isFalse();
      assertThat(take(RESPONSE.substring(cut))).as("cut at %d", cut).isTrue();
    }
  }

  @Test
  void aResponseWithoutABodyEndsWithItsHead() throws IOException {
    assertThat(take("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")).isTrue();
    assertThat(take(RESPONSE)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"HTTP/1.1 500 Internal#Content-Length: 0## | answered HTTP/1.1 500 Internal",
          "HTTP/1.1 200 OK#Transfer-Encoding: chunked## | no Content-Length",
          "HTTP/1.1 200 OK#Content-Length: -4## | no length", "HTTP/1.1 200 OK#Content-Length: ## | no length",
          "HTTP/1.1 200 OK#Content-Length: 99999999999## | no length",
          "HTTP/1.1 200 OK#Content-Length: 1##ab | more than it had announced"})
  void anUnexpectedResponseIsOneSentence(String response, String named) {
    assertThatThrownBy(() -> take(response.replace("#", "\r\n"))).isInstanceOf(IOException.class)
        .hasMessageContaining(named);
  }

  @Test
  void aHeadWithoutEndIsRefused() {
    assertThatThrownBy(() -> take("x".repeat(3000))).isInstanceOf(IOException.class).hasMessageContaining("2048");
  }
}
