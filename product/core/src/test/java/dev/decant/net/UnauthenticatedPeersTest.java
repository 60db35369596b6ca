package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.idle.IdleStrategy;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Unauthenticated connections. Any number of them was accepted, each with 64 KiB of direct memory and the right to
 * announce a large frame. Idle ones stopped the loop for seconds, and four announcements held all memory.
 */
@Timeout(60)
class UnauthenticatedPeersTest {
  private static final long PATIENCE_SECONDS = 30;
  private static final long FOR_EVER = TimeUnit.HOURS.toNanos(1);

  private final AtomicLong aheadNanos = new AtomicLong();
  private final Clock clock = new Clock() {
    @Override
    public long nanoTime() {
      return System.nanoTime() + aheadNanos.get();
    }

    @Override
    public long epochMillis() {
      return System.currentTimeMillis();
    }
  };
  private EventLoop loop = EventLoop.start("strangers", clock);
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final List<Socket> sockets = new ArrayList<>();
  private final List<Acceptor> acceptors = new ArrayList<>();
  // Owner of the loop only.
  private final List<Acceptor.DroppedException> dropped = new ArrayList<>();
  private final List<Throwable> ends = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final List<LineSession> sessions = new ArrayList<>();
  private @Nullable Runnable onLine;
  private int handed;

  @AfterEach
  void close() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    onLoop(() -> {
      acceptors.forEach(Acceptor::close);
      return true;
    });
    await(() -> ends.size() == handed); // no descriptor stays open for later tests
    loop.close();
    pool.close();
  }

  /** Keeps the lines of a peer; "hello" authenticates it. */
  private final class LineSession implements Connection.Handler {
    private final Connection connection;

    LineSession(SocketTransport transport, FirstFrameMemory first) {
      connection = new Connection(loop, transport, new LineFraming(), this, first);
    }

    @Override
    public void onConnected() {}

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
      byte[] line = new byte[to - from - 1];
      buffer.get(from, line);
      String text = new String(line, StandardCharsets.US_ASCII);
      lines.add(text);
      if (text.equals("hello")) {
        connection.authenticated(new FrameMemory(loop, pool), 60_000);
      }
      if (onLine != null) {
        onLine.run();
      }
    }

    @Override
    public void onClosed(Throwable cause) {
      ends.add(cause);
    }
  }

  private Acceptor listen(Acceptor.Limits limits) throws IOException {
    FirstFrameMemory first = new FirstFrameMemory(limits.active(), 100);
    Acceptor acceptor = Acceptor.bind(loop,
        new Acceptor.Settings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000,
            16, true, limits),
        new Acceptor.Handler() {
          @Override
          public void onAccept(SocketTransport transport) {
            handed++;
            LineSession session = new LineSession(transport, first);
            sessions.add(session);
            session.connection.open();
          }

          @Override
          public void onDropped(InetSocketAddress from, Acceptor.DroppedException cause) {
            dropped.add(cause);
          }
        });
    acceptors.add(acceptor);
    return acceptor;
  }

  private Socket connect(Acceptor acceptor) throws IOException {
    Socket socket = new Socket(acceptor.localAddress().getAddress(), acceptor.localAddress().getPort());
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    sockets.add(socket);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Waits until a condition of the owner's state holds. */
  private void await(BooleanSupplier done) throws InterruptedException {
    long deadline = clock.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    assertThat(loop.driveUntil(() -> loop.isOwner() && done.getAsBoolean(), deadline))
        .as("holds in time; dropped %s, ends %s, lines %s", dropped, ends, lines).isTrue();
  }

  private <T> T onLoop(java.util.function.Supplier<T> step) throws Exception {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    loop.execute(() -> outcome.complete(step.get()));
    return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * The connection kept the receive buffer of an unauthenticated peer until its next bytes came, and another one found
   * none.
   */
  @Test
  void peerThatIsAuthenticatedAfterItsFrameGivesItsReceiveBufferBack() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(10, 10, 1, FOR_EVER));
    send(connect(acceptor), "who I am\n");
    await(() -> lines.size() == 1);
    onLoop(() -> {
      sessions.getFirst().connection.authenticated(new FrameMemory(loop, pool), 60_000);
      return true;
    });
    send(connect(acceptor), "another one\n");
    await(() -> lines.size() + ends.size() == 2);
    assertThat(lines).containsExactly("who I am", "another one");
  }

  @Test
  void oldestSilentConnectionIsClosedForANewOne() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(3, 3, 3, FOR_EVER));
    List<Socket> peers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      peers.add(connect(acceptor));
    }
    assertThat(peers.get(0).getInputStream().read()).isEqualTo(-1);
    assertThat(peers.get(1).getInputStream().read()).isEqualTo(-1);
    for (int i = 2; i < 5; i++) {
      send(peers.get(i), "still here\n");
    }
    await(() -> lines.size() == 3);
    assertThat(onLoop(() -> List.copyOf(dropped))).hasSize(2).allSatisfy(cause -> {
      assertThat(cause.reason()).isEqualTo(Acceptor.Drop.ADDRESS_BOUND);
      assertThat(cause).hasMessage("its address has 3 connections that are not authenticated, and this was the oldest");
    });
    assertThat(onLoop(acceptor::unauthenticated)).isEqualTo(3);
  }

  @Test
  void oneThatHasSentBytesOutlivesSilentOnes() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(3, 10, 3, FOR_EVER));
    Socket first = connect(acceptor);
    send(first, "a line\n");
    await(() -> lines.size() == 1);
    Socket second = connect(acceptor);
    for (int i = 0; i < 4; i++) {
      connect(acceptor);
    }
    assertThat(second.getInputStream().read()).isEqualTo(-1);
    await(() -> dropped.size() == 3);
    send(first, "another\n");
    await(() -> lines.size() == 2);
    assertThat(onLoop(() -> List.copyOf(ends))).isEmpty();
  }

  @Test
  void oldestOfThoseWithBytesIsClosedWithItsReason() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(10, 10, 2, FOR_EVER));
    for (int i = 0; i < 3; i++) {
      send(connect(acceptor), "half of a li");
      int count = i + 1;
      await(() -> handed == count);
    }
    assertThat(sockets.getFirst().getInputStream().read()).isEqualTo(-1);
    assertThat(onLoop(() -> ends.getFirst())).isInstanceOfSatisfying(Acceptor.DroppedException.class,
        cause -> assertThat(cause.reason()).isEqualTo(Acceptor.Drop.ACTIVE_BOUND));
    send(sockets.get(1), "ne\n");
    await(() -> lines.equals(List.of("half of a line")));
  }

  /** One host could keep out all others whose first message, or handshake, takes a while. */
  @Test
  void addressWithManyConnectionsThatHaveSentBytesMakesRoomItself() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(20, 20, 4, FOR_EVER));
    Socket slow = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort(),
        InetAddress.getByAddress(new byte[] {127, 0, 0, 2}), 0);
    sockets.add(slow);
    send(slow, "half of a li");
    await(() -> handed == 1);
    for (int i = 0; i < 8; i++) {
      send(connect(acceptor), "half");
      int count = i + 2;
      await(() -> handed == count);
    }
    send(slow, "ne\n");
    await(() -> lines.size() == 1);
    assertThat(lines).containsExactly("half of a line");
  }

  @Test
  void authenticatedConnectionsDoNotCount() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(1, 1, 1, FOR_EVER));
    Socket known = connect(acceptor);
    send(known, "hello\n");
    await(() -> lines.size() == 1);
    assertThat(onLoop(acceptor::unauthenticated)).isZero();
    for (int i = 0; i < 3; i++) {
      connect(acceptor);
    }
    await(() -> dropped.size() == 2);
    send(known, "still here\n");
    await(() -> lines.size() == 2);
  }

  @Test
  void connectionThatIsNotAuthenticatedInTimeIsClosed() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(10, 10, 10, TimeUnit.MINUTES.toNanos(1)));
    Socket silent = connect(acceptor);
    Socket slow = connect(acceptor);
    Socket known = connect(acceptor);
    send(slow, "half of a li");
    send(known, "hello\n");
    await(() -> lines.size() == 1 && handed == 2);
    aheadNanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
    loop.signal();

    assertThat(silent.getInputStream().read()).isEqualTo(-1);
    assertThat(slow.getInputStream().read()).isEqualTo(-1);
    assertThat(onLoop(() -> dropped.getFirst())).hasMessage("not authenticated within 60000 ms");
    assertThat(onLoop(() -> ends.getFirst())).hasMessage("not authenticated within 60000 ms");
    send(known, "still here\n");
    await(() -> lines.size() == 2);
  }

  /**
   * Frames of an unauthenticated peer are in small memory. After authentication, arrived bytes move into the
   * connection's own memory.
   */
  @Test
  void framesGrowOnceThePeerIsAuthenticated() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(10, 10, 2, FOR_EVER));
    Socket stranger = connect(acceptor);
    send(stranger, "x".repeat(100));
    assertThat(stranger.getInputStream().read()).isEqualTo(-1);
    assertThat(onLoop(() -> ends.getFirst()))
        .hasMessage("the peer sent 100 bytes without an end of the frame; the bound is 100");

    for (int i = 0; i < 5; i++) { // more than there are buffers: each comes back
      Socket known = connect(acceptor);
      send(known, "hello\nfirst\n" + "y".repeat(50_000) + "\nlast\n");
      int count = 4 * (i + 1);
      await(() -> lines.size() == count);
      assertThat(onLoop(() -> lines.subList(count - 4, count)))
          .containsExactly("hello", "first", "y".repeat(50_000), "last");
    }
  }

  /** A round of the loop served all ready unauthenticated connections, without a bound on its time. */
  @Test
  void strangersLeaveOthersTheirTurnInEachRound() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(100, 100, 100, FOR_EVER));
    for (int i = 0; i < 50; i++) {
      connect(acceptor);
    }
    await(() -> acceptor.unauthenticated() == 50);
    int[] before = {0};
    int[] mostInARound = {0};
    onLoop(() -> {
      onLine = () -> aheadNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1)); // each line takes a millisecond
      loop.add(() -> {
        mostInARound[0] = Math.max(mostInARound[0], lines.size() - before[0]);
        before[0] = lines.size();
        return 0;
      });
      for (Socket socket : sockets) { // all are ready before the loop polls again
        try {
          send(socket, "a line\n");
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
      return true;
    });
    await(() -> lines.size() == 50);
    assertThat(onLoop(() -> mostInARound[0])).isEqualTo(1);
  }

  @Test
  void spinningLoopHandsNoSilentConnectionOver() throws Exception {
    loop.close();
    loop = EventLoop.start("spinning", clock, IdleStrategy.spin(), IdleStrategy.spin());
    Acceptor acceptor = listen(new Acceptor.Limits(10, 10, 10, FOR_EVER));
    connect(acceptor);
    Socket other = connect(acceptor);
    send(other, "hello\n");
    await(() -> lines.size() == 1);
    send(other, "again\n");
    await(() -> lines.size() == 2);
    assertThat(onLoop(() -> handed)).isEqualTo(1);
  }

  /** Each attempt without memory took half a second of the loop, and the next one followed at once. */
  @Test
  void acceptorPausesWhenThereIsNoMemory() throws Exception {
    OutOfMemoryError none = new OutOfMemoryError("says this test");
    List<IOException> told = new ArrayList<>();
    int[] attempts = {0};
    Acceptor acceptor = Acceptor.bind(loop,
        Acceptor.Settings.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), new Acceptor.Handler() {
          @Override
          public void onAccept(SocketTransport transport) {
            attempts[0]++;
            if (attempts[0] <= 2) {
              throw none;
            }
            transport.authenticated();
            transport.close();
          }

          @Override
          public void onAcceptFailed(IOException cause) {
            told.add(cause);
          }
        });
    acceptors.add(acceptor);
    onLoop(() -> {
      acceptor.holdAccepting(true);
      return true;
    });
    Socket first = connect(acceptor);
    Socket second = connect(acceptor);
    onLoop(() -> {
      aheadNanos.set(0);
      acceptor.holdAccepting(false);
      return true;
    });
    assertThat(first.getInputStream().read()).isEqualTo(-1);
    assertThat(second.getInputStream().read()).isEqualTo(-1);
    connect(acceptor);
    await(() -> attempts[0] == 3);
    assertThat(onLoop(() -> List.copyOf(told))).hasSize(2)
        .allSatisfy(
            cause -> assertThat(cause).hasMessage("there is no memory for an accepted connection: says this test")
                .hasCause(none));
  }

  @Test
  void acceptorThatClosesEndsSilentConnectionsAndServesTheOthers() throws Exception {
    Acceptor acceptor = listen(new Acceptor.Limits(10, 10, 10, FOR_EVER));
    Socket silent = connect(acceptor);
    Socket slow = connect(acceptor);
    send(slow, "half of a li");
    await(() -> handed == 1 && acceptor.unauthenticated() == 2);
    onLoop(() -> {
      acceptor.close();
      return true;
    });
    assertThat(silent.getInputStream().read()).isEqualTo(-1);
    send(slow, "ne\n");
    await(() -> lines.equals(List.of("half of a line")));
    slow.close();
    await(() -> acceptor.unauthenticated() == 0);
  }

  /** A loop that accepted connections as fast as they came had no time of its processor left for sessions. */
  @Test
  void strangersComeAtABoundedRateAndKnownPeersDoNotCount() throws Exception {
    UnauthenticatedPeers peers = new UnauthenticatedPeers(loop, new Acceptor.Limits(3, 3, 3, FOR_EVER),
        new UnauthenticatedPeers.Owner() {
          @Override
          public void onFirstBytes(UnauthenticatedPeer peer) {}

          @Override
          public void onDropped(InetSocketAddress from, Acceptor.DroppedException cause) {}
        });
    InetSocketAddress from = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    SocketTransport none = SocketTransport.connect(listen(Acceptor.Limits.DEFAULT).localAddress());
    onLoop(() -> {
      for (int i = 0; i < 3 && peers.mayAccept(); i++) {
        peers.add(none, from).authenticated();
      }
      for (int i = 0; i < 3; i++) {
        assertThat(peers.mayAccept()).isTrue();
        peers.add(none, from);
      }
      return true;
    });
    long later = clock.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    aheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    await(() -> loop.nowNanos() >= later); // the round of the earlier step may still run, with its own time
    assertThat(onLoop(() -> {
      int accepted = 0;
      while (peers.mayAccept() && accepted < 100) { // all of one round, in which the time does not change
        peers.add(none, from);
        accepted++;
      }
      return accepted;
    })).isEqualTo(3);
    onLoop(() -> {
      none.close();
      peers.close();
      return true;
    });
  }

  /** The owner of an IPv6 network has 2^64 addresses: connections of all of them are those of one peer. */
  @Test
  void addressesOfAnIpv6NetworkAreOne() throws Exception {
    long network = UnauthenticatedPeer.networkOf(InetAddress.getByName("2001:db8:1:2::1"));
    assertThat(UnauthenticatedPeer.networkOf(InetAddress.getByName("2001:db8:1:2:ffff::9"))).isEqualTo(network);
    assertThat(UnauthenticatedPeer.networkOf(InetAddress.getByName("2001:db8:1:3::1"))).isNotEqualTo(network);
    assertThat(UnauthenticatedPeer.networkOf(InetAddress.getByName("10.0.0.1")))
        .isNotEqualTo(UnauthenticatedPeer.networkOf(InetAddress.getByName("10.0.0.2")));
  }

  @Test
  void limitsOutOfBoundsAreNamed() {
    assertThatThrownBy(() -> new Acceptor.Limits(1, 1, 0, 1)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("active: 0");
  }
}
