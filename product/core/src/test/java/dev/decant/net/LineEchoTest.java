package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferPool;
import dev.decant.idle.IdleStrategy;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A second protocol over sockets, both ends, with peers of all kinds: it uses all parts of this module. */
@Timeout(60)
class LineEchoTest {
  private static final long PATIENCE_SECONDS = 30;
  private static final int MAX_LINE_BYTES = 10_000;
  private static final int ACCEPTS_PER_ROUND = 4;

  private final EventLoop loop = EventLoop.start("line-echo", Clock.system());
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final LineEcho echo = new LineEcho(loop, pool, TimeUnit.MILLISECONDS.toNanos(200), MAX_LINE_BYTES);
  private Acceptor acceptor;

  @BeforeEach
  void listen() throws IOException {
    acceptor = Acceptor.bind(loop, settings(0), echo);
  }

  @AfterEach
  void close() throws Exception {
    onLoop(acceptor::close);
    loop.close();
    pool.close();
  }

  private static Acceptor.Settings settings(int port) {
    return new Acceptor.Settings(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000,
        ACCEPTS_PER_ROUND, false, Acceptor.Limits.DEFAULT);
  }

  private void onLoop(Runnable step) throws Exception {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    loop.execute(() -> {
      try {
        step.run();
        outcome.complete(null);
      } catch (RuntimeException | AssertionError e) {
        outcome.completeExceptionally(e);
      }
    });
    outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Drives the loop until a condition of its owner's state holds. */
  private void driveUntil(BooleanSupplier done) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    assertThat(loop.driveUntil(() -> loop.isOwner() && done.getAsBoolean(), deadline))
        .as("holds in time; sessions %d, ends %s", echo.sessions.size(), echo.ends).isTrue();
  }

  private LineClient connect(EventLoop ofClient) throws IOException {
    LineClient client = new LineClient(ofClient, SocketTransport.connect(acceptor.localAddress()), pool);
    ofClient.execute(client.connection::open);
    return client;
  }

  private Socket rawPeer() throws IOException {
    Socket peer = new Socket(acceptor.localAddress().getAddress(), acceptor.localAddress().getPort());
    peer.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    return peer;
  }

  private static String line(int i, Random random) {
    return i + "-" + "x".repeat(random.nextInt(300));
  }

  @Test
  void linesOfManySessionsComeBackInTheirOrder() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<LineClient> clients = new ArrayList<>();
    List<String> sent = new ArrayList<>();
    for (int c = 0; c < 20; c++) {
      clients.add(connect(loop));
    }
    onLoop(() -> {
      for (int i = 0; i < 200; i++) {
        String line = line(i, random);
        sent.add(line);
        clients.forEach(client -> client.send(line));
      }
    });
    driveUntil(() -> clients.stream().allMatch(client -> client.received.size() == sent.size()));

    onLoop(() -> assertThat(clients).as("seed %d", seed)
        .allSatisfy(client -> assertThat(client.received).isEqualTo(sent)));
  }

  /** The client spins on a loop of its own, so it reads its socket directly. */
  @Test
  void linesComeBackToASpinningClient() throws Exception {
    EventLoop spinning = EventLoop.start("spinning", Clock.system(), IdleStrategy.spin(), IdleStrategy.spin());
    try {
      LineClient client = connect(spinning);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      for (int i = 0; i < 500; i++) {
        String line = "line " + i;
        int count = i + 1;
        spinning.execute(() -> client.send(line));
        assertThat(spinning.driveUntil(() -> spinning.isOwner() && client.received.size() == count, deadline)).isTrue();
      }
      assertThat(client.received).last().isEqualTo("line 499");
    } finally {
      spinning.close();
    }
  }

  @Test
  void halfClosedPeerGetsAllItsLinesAndTheEnd() throws Exception {
    byte[] lines = "some line of text\n".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
    try (Socket peer = rawPeer()) {
      Thread.ofVirtual().start(() -> {
        try {
          peer.getOutputStream().write(lines);
          peer.shutdownOutput();
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      });

      assertThat(peer.getInputStream().readAllBytes()).isEqualTo(lines);
    }
    driveUntil(() -> !echo.ends.isEmpty());
    onLoop(() -> assertThat(echo.ends.getFirst()).hasMessage("the peer is done"));
  }

  @Test
  void slowPeerIsHeldBackAndLosesNothing() throws Exception {
    byte[] lines = "a line that comes back at some time\n".repeat(400_000).getBytes(StandardCharsets.US_ASCII);
    LineEcho patient = new LineEcho(loop, pool, TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), MAX_LINE_BYTES);
    Acceptor other = Acceptor.bind(loop, settings(0), patient);
    try (Socket peer = new Socket()) {
      peer.setReceiveBufferSize(16 * 1024);
      peer.connect(other.localAddress());
      CompletableFuture<Void> written = new CompletableFuture<>();
      Thread.ofVirtual().start(() -> {
        try {
          peer.getOutputStream().write(lines);
          peer.shutdownOutput();
          written.complete(null);
        } catch (IOException e) {
          written.completeExceptionally(e);
        }
      });
      driveUntil(() -> patient.mostPending > LineEcho.MOST_PENDING);

      assertThat(peer.getInputStream().readAllBytes()).isEqualTo(lines);
      written.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    onLoop(other::close);
    // A held session delivers no line of its receive buffer: it exceeds the bound by one line at most.
    onLoop(() -> assertThat(patient.mostPending).isLessThan(LineEcho.MOST_PENDING + 100L));
  }

  @Test
  void peerThatDoesNotReadIsClosedInTime() throws Exception {
    try (Socket peer = rawPeer()) {
      byte[] lines = "a line that nobody reads\n".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
      Thread.ofVirtual().start(() -> {
        try {
          while (true) {
            peer.getOutputStream().write(lines);
          }
        } catch (IOException e) {
          // The session was closed, as expected.
        }
      });
      driveUntil(() -> !echo.ends.isEmpty());
    }
    onLoop(() -> assertThat(echo.ends.getFirst()).hasMessage("the peer does not read"));
  }

  @Test
  void lineWithoutAnEndEndsItsSessionAlone() throws Exception {
    LineClient other = connect(loop);
    try (Socket peer = rawPeer()) {
      peer.getOutputStream().write(new byte[MAX_LINE_BYTES]);
      driveUntil(() -> !echo.ends.isEmpty());
      assertThat(peer.getInputStream().read()).isEqualTo(-1);
    }
    onLoop(() -> assertThat(echo.ends.getFirst()).isInstanceOf(IOException.class)
        .hasMessage("the peer sent 10000 bytes without an end of the frame; the bound is 10000"));
    onLoop(() -> other.send("still here"));
    driveUntil(() -> other.received.size() == 1);
  }

  @Test
  void lineAboveTheBoundEndsItsSession() throws Exception {
    try (Socket peer = rawPeer()) {
      peer.getOutputStream().write(("x".repeat(MAX_LINE_BYTES) + "\n").getBytes(StandardCharsets.US_ASCII));
      driveUntil(() -> !echo.ends.isEmpty());
    }
    onLoop(() -> assertThat(echo.ends.getFirst()).hasMessageContaining("bound is 10000"));
  }

  @Test
  void anyBytesEndNothingButTheirOwnSession() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    LineClient other = connect(loop);
    for (int i = 0; i < 50; i++) {
      try (Socket peer = rawPeer()) {
        byte[] bytes = new byte[random.nextInt(30_000)];
        random.nextBytes(bytes);
        peer.getOutputStream().write(bytes);
        if (random.nextBoolean()) {
          peer.setSoLinger(true, 0); // closing resets the connection
        }
      } catch (IOException e) {
        // The session has ended already.
      }
    }
    driveUntil(() -> echo.ends.size() == 50);
    onLoop(() -> other.send("still here"));
    driveUntil(() -> other.received.size() == 1);
    assertThat(pool.leasedBytes()).as("seed %d", seed).isZero();
  }

  /** If 500 peers connect at once, a round accepts only some of them, and an open session continues meanwhile. */
  @Test
  void floodOfConnectionsLeavesOthersTheirTurn() throws Exception {
    LineClient early = connect(loop);
    driveUntil(() -> echo.sessions.size() == 1 && early.connection.isConnected());
    int[] before = {1};
    int[] mostInARound = {0};
    int[] accepted = {0};
    onLoop(() -> {
      acceptor.holdAccepting(true);
      loop.add(() -> {
        int now = echo.sessions.size();
        mostInARound[0] = Math.max(mostInARound[0], now - before[0]);
        before[0] = now;
        if (accepted[0] == 0 && !early.received.isEmpty()) {
          accepted[0] = now;
        }
        return 0;
      });
    });
    List<SocketChannel> flood = new ArrayList<>();
    try {
      for (int i = 0; i < 500; i++) {
        flood.add(SocketChannel.open(acceptor.localAddress()));
      }
      onLoop(() -> {
        assertThat(echo.sessions).hasSize(1);
        early.send("in the flood");
        acceptor.holdAccepting(false);
      });
      driveUntil(() -> echo.sessions.size() == 501 && !early.received.isEmpty() && accepted[0] > 0);

      onLoop(() -> {
        assertThat(accepted[0]).as("sessions when the line came back").isBetween(1, 100);
        assertThat(mostInARound[0]).isBetween(1, ACCEPTS_PER_ROUND);
      });
      for (SocketChannel peer : List.of(flood.getFirst(), flood.getLast())) {
        peer.write(ByteBuffer.wrap("hello\n".getBytes(StandardCharsets.US_ASCII)));
        ByteBuffer back = ByteBuffer.allocate(6);
        while (back.hasRemaining()) {
          assertThat(peer.read(back)).isPositive();
        }
        assertThat(new String(back.array(), StandardCharsets.US_ASCII)).isEqualTo("hello\n");
      }
    } finally {
      for (SocketChannel peer : flood) {
        peer.close();
      }
    }
    driveUntil(() -> echo.sessions.size() == 1);
  }

  @Test
  void acceptorGoesOnAfterTheSystemHasRefusedAConnection() throws Exception {
    List<IOException> told = new ArrayList<>();
    List<SocketTransport> taken = new ArrayList<>();
    Acceptor other = Acceptor.bind(loop, settings(0), new Acceptor.Handler() {
      @Override
      public void onAccept(SocketTransport transport) {
        taken.add(transport);
        if (taken.size() == 1) {
          throw new IllegalStateException("a handler of this test fails on purpose");
        }
      }

      @Override
      public void onAcceptFailed(IOException cause) {
        told.add(cause);
      }
    });
    IOException none = new IOException("Too many open files");
    onLoop(() -> other.pause(none));
    try (Socket first = new Socket(other.localAddress().getAddress(), other.localAddress().getPort());
        Socket second = new Socket(other.localAddress().getAddress(), other.localAddress().getPort())) {
      driveUntil(() -> taken.size() == 2);

      onLoop(() -> assertThat(told).containsExactly(none));
      InetSocketAddress peer = taken.get(1).remoteAddress();
      assertThat(peer).isEqualTo(second.getLocalSocketAddress());
      assertThat(first.getInputStream().read()).as("its handler has failed").isEqualTo(-1);
      assertThat(second.isConnected()).isTrue();
    }
    onLoop(() -> {
      taken.forEach(SocketTransport::close);
      other.close();
      other.close();
    });
    driveUntil(() -> refuses(other.localAddress())); // the next select of the loop frees the port
  }

  private static boolean refuses(InetSocketAddress address) {
    try (Socket peer = new Socket(address.getAddress(), address.getPort())) {
      return !peer.isConnected();
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void portThatIsTakenIsNamed() {
    assertThatThrownBy(() -> Acceptor.bind(loop, settings(acceptor.localAddress().getPort()), echo))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot listen on ").hasMessageContaining(":" + acceptor.localAddress().getPort());
  }

  @Test
  void settingsOutOfBoundsAreNamed() {
    InetSocketAddress here = acceptor.localAddress();
    assertThatThrownBy(() -> new Acceptor.Settings(here, 0, 1, false, Acceptor.Limits.DEFAULT))
        .hasMessage("backlog: 0 is less than 1");
    assertThatThrownBy(() -> new Acceptor.Settings(here, 1, 0, false, Acceptor.Limits.DEFAULT))
        .hasMessage("acceptsPerRound: 0 is less than 1");
    assertThatThrownBy(() -> Acceptor.Settings.of(InetSocketAddress.createUnresolved("nowhere", 1)))
        .hasMessageStartingWith("address: ");
  }
}
