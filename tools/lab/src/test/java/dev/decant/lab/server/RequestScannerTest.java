package dev.decant.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RequestScannerTest {
  private final RequestScanner requests = new RequestScanner(ByteBuffer.allocate(RequestScanner.CAPACITY));

  private void receive(String text) {
    requests.buffer().put(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void aRequestThatComesInPiecesIsTakenOnce() {
    for (String piece : "GET / HTTP/1.1\r\nHost: a\r\n\r".split("", -1)) {
      receive(piece);
      assertThat(requests.next()).isFalse();
    }
    receive("\n");
    assertThat(requests.next()).isTrue();
    assertThat(requests.asksForWork()).isFalse();
    assertThat(requests.next()).isFalse();
  }

  @Test
  void requestsThatComeTogetherAreTakenOneByOne() {
    receive("GET /work HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\nGET");

    assertThat(requests.next()).isTrue();
    assertThat(requests.asksForWork()).isTrue();
    assertThat(requests.next()).isTrue();
    assertThat(requests.asksForWork()).isFalse();
    assertThat(requests.next()).isFalse();
    assertThat(requests.buffer().position()).isEqualTo(3);
  }

  @Test
  void aHeadWithoutEndIsRefused() {
    receive("x".repeat(RequestScanner.CAPACITY));

    assertThatThrownBy(requests::next).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("2048");
  }

  @Test
  void theStepsOfAComputationAreCounted() {
    assertThat(Computation.stepsIn(200_000)).isBetween(1L, 2_000_000L); // a step takes at least 0.1 ns
  }
}
