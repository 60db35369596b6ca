package dev.decant.lab.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LiveServerTest {
  private static final String PAGE = "<p>the page</p>";

  private final CompletableFuture<Integer> readers = new CompletableFuture<>();
  private final LiveFeed feed = new LiveFeed(readers::complete);
  private final LiveServer server;
  private final int port;

  LiveServerTest() throws IOException {
    server = LiveServer.start(0, feed, PAGE);
    port = URI.create(server.address()).getPort();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** Sends a request and leaves the response to be read; a response to HTTP 1.0 has no chunks. */
  private static BufferedReader ask(Socket socket, String request) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(request.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  private String response(String method, String path, String host) throws IOException {
    try (Socket socket = connect()) {
      return ask(socket, method + " " + path + " HTTP/1.1\n" + host + "Connection: close\n\n").lines()
          .collect(Collectors.joining("\n"));
    }
  }

  @Test
  void thePageIsAtTheRootAndNothingIsElsewhere() throws IOException {
    String host = "Host: 127.0.0.1:" + port + "\n";

    assertThat(response("GET", "/", host)).startsWith("HTTP/1.1 200 ").endsWith(PAGE)
        .containsIgnoringCase("content-security-policy: default-src 'none'");
    assertThat(response("GET", "/?a=b", host)).startsWith("HTTP/1.1 200 ");
    assertThat(response("GET", "/favicon.ico", host)).startsWith("HTTP/1.1 404 ");
    assertThat(response("GET", "/events/", host)).startsWith("HTTP/1.1 404 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "HEAD", "PUT", "DELETE", "OPTIONS"})
  void onlyGetIsAnswered(String method) throws IOException {
    assertThat(response(method, "/", "Host: localhost\n")).startsWith("HTTP/1.1 405 ")
        .containsIgnoringCase("allow: GET");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost:80", "LOCALHOST", "[::1]:1"})
  void namesOfTheLoopbackInterfaceAreAnswered(String host) throws IOException {
    assertThat(response("GET", "/", "Host: " + host + "\n")).startsWith("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @CsvSource({"/, Host: example.org", "/events, Host: example.org", "/, Host: 127.0.0.1.example.org",
      "/, Host: localhost.:80", "/, Host: 127.0.0.1:x", "/events, Host:", "/nothing, Host: example.org"})
  void whoHasCalledItByAnotherNameGetsOneClearLine(String path, String host) throws IOException {
    assertThat(response("GET", path, host + "\n")).startsWith("HTTP/1.1 403 ")
        .contains("answers at " + server.address())
        .doesNotContain(PAGE);
  }

  @Test
  void aMissingHostIsNoNameOfTheLoopbackInterface() {
    assertThat(LiveServer.isLoopback(null)).isFalse();
  }

  @Test
  void eventsComeAsTheyHappenUntilTheEnd() throws Exception {
    feed.publish("plan", -1, "the plan");
    try (Socket socket = connect()) {
      BufferedReader in = ask(socket, "GET /events HTTP/1.0\nHost: localhost\n\n");
      assertThat(readUntil(in, "data: the plan")).containsIgnoringCase("content-type: text/event-stream");

      feed.publish("sample", 0, "the sample");
      assertThat(readUntil(in, "data: the sample")).contains("event: sample");

      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      assertThat(in.lines().filter(line -> line.startsWith("data"))).isEmpty();
      closing.get(60, TimeUnit.SECONDS);
    }
    assertThat(readers).isCompletedWithValue(1);
    assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
  }

  private static String readUntil(BufferedReader in, String wanted) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      text.append(line).append('\n');
      if (line.equals(wanted)) {
        return text.toString();
      }
    }
    throw new AssertionError("the stream ended before \"" + wanted + "\": " + text);
  }

  /** One reader reads each event before the next is published, so only the other reader falls behind. */
  @Test
  void aReaderThatStopsReadingIsDroppedAndDisturbsNobody() throws Exception {
    String request = "GET /events HTTP/1.0\nHost: localhost\n\n";
    String filling = "x".repeat(100_000);
    feed.publish("plan", -1, "the plan");
    try (Socket slow = connect(); Socket quick = connect()) {
      String unusedOfSlow = readUntil(ask(slow, request), "data: the plan");
      BufferedReader in = ask(quick, request);
      String unusedOfQuick = readUntil(in, "data: the plan");
      int events = 0;
      while (feed.readers() == 2 && events < 2000) {
        String data = ++events + filling;
        feed.publish("line", -1, data);
        String unusedLine = readUntil(in, "data: " + data);
      }

      assertThat(feed.readers()).as("after " + events + " events").isEqualTo(1);
      feed.publish("end", -1, "the end");
      assertThat(readUntil(in, "data: the end")).contains("event: end");
    }
  }

  @Test
  void aPortThatIsTakenIsAnError() {
    assertThatThrownBy(() -> LiveServer.start(port, feed, PAGE)).isInstanceOf(BindException.class);
  }
}
