package dev.decant.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The effect of each fault on a client of an echo server. Only silence is assumed after a time; all other waits are for
 * events.
 */
@Timeout(60)
class FaultProxyTest {
  private static final int SILENCE_MILLIS = 150;
  /** Bounds each read, because a timeout of the test does not interrupt it. */
  private static final int PATIENCE_MILLIS = 30_000;
  private static final Duration DELAY = Duration.ofMillis(120);
  private static final int LARGE = 300_000;

  private EchoServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = new EchoServer();
    proxy = FaultProxy.start(server.port(), 7);
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), proxy.port());
  }

  private static void say(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  private static byte[] hear(Socket socket, int count) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket.getInputStream().readNBytes(count);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static void assertEcho(Socket socket, int length) throws IOException {
    byte[] bytes = random(length);
    Thread speaker = Thread.ofVirtual()
        .start(() -> assertThatCode(() -> say(socket, bytes)).doesNotThrowAnyException());
    assertThat(hear(socket, length)).isEqualTo(bytes);
    assertThatCode(speaker::join).doesNotThrowAnyException();
  }

  private static void assertSilence(Socket socket) throws IOException {
    socket.setSoTimeout(SILENCE_MILLIS);
    assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
  }

  private static void assertReset(Socket socket) {
    assertThatThrownBy(() -> hear(socket, 1)).isInstanceOf(SocketException.class).hasMessageContaining("reset");
  }

  private static long millisSince(long beginNanos) {
    return (System.nanoTime() - beginNanos) / 1_000_000;
  }

  @Test
  void withoutFaultsAllBytesGoThroughBothWaysAndTheEndToo() throws IOException {
    try (Socket socket = connect()) {
      assertEcho(socket, LARGE);
      assertThat(proxy.connections()).isOne();
      socket.shutdownOutput();
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
    while (proxy.connections() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void latencyDelaysEachDirectionAndKeepsAllBytes() throws IOException {
    proxy.latency(Direction.TO_BROKER, DELAY);
    proxy.latency(Direction.TO_CLIENT, DELAY);
    try (Socket socket = connect()) {
      long begin = System.nanoTime();
      assertEcho(socket, 10);
      assertThat(millisSince(begin)).isGreaterThanOrEqualTo(2 * DELAY.toMillis());
      assertEcho(socket, LARGE);
    }
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void bandwidthBoundsWhatGoesThroughInASecond(Direction direction) throws IOException {
    proxy.bandwidth(direction, 100_000);
    try (Socket socket = connect()) {
      long begin = System.nanoTime();
      assertEcho(socket, 30_000);
      assertThat(millisSince(begin)).isGreaterThanOrEqualTo(250);
      proxy.bandwidth(direction, 0);
      assertEcho(socket, LARGE);
    }
  }

  @Test
  void slicesSplitWhatWasWrittenAtOnce() throws IOException {
    byte[] message = random(500);
    byte[] part = new byte[message.length];
    try (Socket socket = connect()) {
      proxy.slices(Direction.TO_CLIENT, 3);
      int read;
      do {
        say(socket, message);
        read = socket.getInputStream().read(part);
        hear(socket, message.length - read);
      } while (read == message.length); // pieces may arrive together
      assertThat(part).startsWith(Arrays.copyOf(message, read));
      proxy.slices(Direction.TO_BROKER, 3);
      assertEcho(socket, 20_000);
    }
  }

  @Test
  void resetEndsConnectionsAndWelcomesNewOnes() throws IOException {
    try (Socket socket = connect(); Socket other = connect()) {
      assertEcho(socket, 10);
      assertEcho(other, 10);
      proxy.reset();
      assertReset(socket);
      assertReset(other);
    }
    try (Socket socket = connect()) {
      assertEcho(socket, 10);
    }
  }

  @Test
  void cutEndsConnectionsAndRefusesNewOnesUntilItIsHealed() throws IOException {
    int port = proxy.port();
    try (Socket socket = connect()) {
      assertEcho(socket, 10);
      proxy.cut();
      assertReset(socket);
    }
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    }
    proxy.heal();
    assertThat(proxy.port()).isEqualTo(port);
    try (Socket socket = connect()) {
      assertEcho(socket, 10);
    }
  }

  @Test
  void whatIsStalledGoesOnLater() throws IOException {
    try (Socket socket = connect()) {
      assertEcho(socket, 10);
      proxy.passage(Direction.TO_BROKER, Passage.STALLED);
      say(socket, random(10));
      assertSilence(socket);
      assertThat(server.received()).isEqualTo(10);
      proxy.passage(Direction.TO_BROKER, Passage.OPEN);
      assertThat(hear(socket, 10)).isEqualTo(random(10));
    }
  }

  @Test
  void aHalfOpenLinkTakesRequestsAndGivesNoAnswers() throws IOException, InterruptedException {
    proxy.passage(Direction.TO_CLIENT, Passage.STALLED);
    try (Socket socket = connect()) {
      say(socket, random(10));
      server.awaitReceived(10);
      assertSilence(socket);
      proxy.heal();
      assertThat(hear(socket, 10)).isEqualTo(random(10));
    }
  }

  @Test
  void aStalledLinkHidesThatTheOtherSideHasClosed() throws IOException {
    try (Socket socket = connect()) {
      assertEcho(socket, 10);
      proxy.passage(Direction.TO_CLIENT, Passage.STALLED);
      server.closeConnections();
      assertSilence(socket);
      proxy.heal();
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void mutatedBytesAreOthersButAsMany(Direction direction) throws IOException {
    byte[] message = random(100);
    proxy.mutate(direction, 1);
    try (Socket socket = connect()) {
      for (int i = 1; i <= 200; i++) {
        say(socket, message);
        assertThat(hear(socket, message.length)).isNotEqualTo(message);
        assertThat(proxy.mutations(direction)).isGreaterThanOrEqualTo(i);
      }
      proxy.heal();
      long mutations = proxy.mutations(direction);
      assertEcho(socket, LARGE);
      assertThat(proxy.mutations(direction)).isEqualTo(mutations);
    }
  }

  @Test
  void oneSeedMutatesTheSameBytes() throws IOException {
    byte[] first = mutatedBySeed(11);
    assertThat(mutatedBySeed(11)).isEqualTo(first);
    assertThat(mutatedBySeed(12)).isNotEqualTo(first);
  }

  private byte[] mutatedBySeed(long seed) throws IOException {
    byte[] heard = new byte[0];
    try (FaultProxy mutating = FaultProxy.start(server.port(), seed);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), mutating.port())) {
      mutating.mutate(Direction.TO_CLIENT, 0.5);
      for (int i = 0; i < 20; i++) {
        say(socket, random(1)); // one byte per piece, so the system cannot merge pieces
        heard = Arrays.copyOf(heard, i + 1);
        heard[i] = hear(socket, 1)[0];
      }
    }
    return heard;
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void aShareThatIsNoneIsRefused(double share) {
    assertThatThrownBy(() -> proxy.mutate(Direction.TO_CLIENT, share)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a share of pieces is 0 to 1, not " + share);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void lostBytesNeverComeBackAndTheStreamDoesNotGoOnWithoutThem(Direction direction) throws IOException {
    try (Socket socket = connect(); Socket idle = connect()) {
      assertEcho(socket, 10);
      assertEcho(idle, 10);
      proxy.passage(direction, Passage.LOST);
      say(socket, random(10));
      assertSilence(socket);
      proxy.passage(direction, Passage.OPEN);
      assertReset(socket);
      assertEcho(idle, 10);
    }
  }

  @Test
  void whoWritesIntoAStalledLinkIsHeldUpSoon() throws IOException {
    proxy.passage(Direction.TO_BROKER, Passage.STALLED);
    try (SocketChannel channel = SocketChannel.open(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()))) {
      channel.configureBlocking(false);
      long written = 0;
      int idleRounds = 0;
      while (idleRounds < 300) { // buffers are filled and emptied by other threads
        int n = channel.write(ByteBuffer.allocate(64 * 1024));
        written += n;
        idleRounds = n > 0 ? 0 : idleRounds + 1;
        LockSupport.parkNanos(100_000);
      }
      assertThat(written).isPositive().isLessThan(8_000_000);
      assertThat(server.received()).isZero();
    }
  }

  @Test
  void slowCloseTellsTheEndLate() throws IOException {
    proxy.slowClose(Direction.TO_CLIENT, DELAY);
    try (Socket socket = connect()) {
      assertEcho(socket, 10);
      long begin = System.nanoTime();
      server.closeConnections();
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      assertThat(millisSince(begin)).isGreaterThanOrEqualTo(DELAY.toMillis());
    }
  }

  @Test
  void whereNobodyListensBehindTheProxyAConnectionEndsAtOnce() throws IOException {
    server.close();
    try (Socket socket = connect()) {
      assertReset(socket);
    }
    assertThat(proxy.connections()).isZero();
  }

  @Test
  void closingEndsConnectionsAndGivesThePortBack() throws IOException {
    int port = proxy.port();
    try (Socket socket = connect()) {
      assertEcho(socket, 10);
      proxy.close();
      assertReset(socket);
    }
    proxy.heal();
    new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
  }

  /** A build found the port in use: the thread that had waited for connections still held the socket. */
  @Test
  void portIsFreeAsSoonAsTheProxyIsClosed() throws IOException {
    for (int i = 0; i < 200; i++) {
      FaultProxy closed = FaultProxy.start(server.port(), i);
      int port = closed.port();
      closed.close();
      new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
    }
  }
}
