package dev.decant.loop;

import static dev.decant.loop.PipedConnection.direct;
import static dev.decant.loop.PipedConnection.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work in place of an owner that sleeps. */
@Timeout(30)
class VisitTest {
  private static final long PATIENCE_SECONDS = 20;

  private final EventLoop loop = EventLoop.start("visited-loop", Clock.system());

  @AfterEach
  void close() {
    loop.close();
  }

  /** Visits as soon as the owner sleeps, and throws what the agent has thrown. */
  private static void visit(EventLoop visited, Agent agent) {
    AtomicReference<@Nullable AssertionError> failed = new AtomicReference<>();
    Agent checked = () -> {
      try {
        agent.doWork();
      } catch (AssertionError e) {
        failed.set(e);
      }
    };
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    boolean done = false;
    while (!done && giveUp - System.nanoTime() > 0) {
      done = visited.visit(checked);
    }
    assertThat(done).as("the owner sleeps at some time").isTrue();
    assertThat(failed.get()).isNull();
  }

  private static <T> T soon(CompletableFuture<T> outcome) throws Exception {
    return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void visitorIsTheOwnerWhileItWorks() {
    CompletableFuture<Thread> worked = new CompletableFuture<>();
    visit(loop, () -> {
      assertThat(loop.isOwner()).isTrue();
      assertThat(loop.isVisit()).isTrue();
      assertThat(loop.visit(() -> {})).as("a visit within a visit").isFalse();
      worked.complete(Thread.currentThread());
    });

    assertThat(worked).isCompletedWithValue(Thread.currentThread());
    assertThat(loop.isOwner()).isFalse();
  }

  @Test
  void visitsLeaveTheOwnerAsleep() throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    CompletableFuture<Boolean> added = new CompletableFuture<>();
    loop.execute(() -> {
      loop.add(rounds::incrementAndGet);
      loop.schedule(new Timer(() -> {}), loop.nowNanos() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS) + 1);
      added.complete(true);
    });
    soon(added);
    visit(loop, () -> {});
    int before = rounds.get();
    for (int i = 0; i < 1_000; i++) {
      visit(loop, () -> {});
    }
    assertThat(rounds).hasValue(before);
  }

  @Test
  void nobodyVisitsAnOwnerThatIsAwake() throws Exception {
    CountDownLatch awake = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    loop.execute(() -> {
      awake.countDown();
      awaitQuietly(mayEnd);
    });
    assertThat(awake.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

    assertThat(loop.visit(() -> {
      throw new AssertionError("two owners");
    })).isFalse();
    mayEnd.countDown();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nobodyVisitsALoopThatIsClosed() {
    loop.close();
    assertThat(loop.visit(() -> {})).isFalse();
  }

  @Test
  void ownerThatWakesUpWaitsForTheVisitorToGo() throws Exception {
    CompletableFuture<Thread> ioThread = new CompletableFuture<>();
    loop.execute(() -> ioThread.complete(Thread.currentThread()));
    Thread owner = soon(ioThread);
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    visit(loop, () -> {
      loop.execute(() -> ran.complete(true));
      long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (owner.getState() != Thread.State.WAITING && giveUp - System.nanoTime() > 0) {
        Thread.onSpinWait();
      }
      assertThat(owner.getState()).as("it has been woken and parks").isEqualTo(Thread.State.WAITING);
      assertThat(ran).isNotDone();
    });

    assertThat(soon(ran)).isTrue();
  }

  @Test
  void borrowerThatSleepsIsVisitedToo() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(() -> {
      try {
        outcome.complete(loop.driveUntil(done::get, System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)));
      } catch (InterruptedException | RuntimeException e) {
        outcome.completeExceptionally(e);
      }
    });
    visit(loop, () -> loop.execute(() -> done.set(true)));

    assertThat(soon(outcome)).isTrue();
  }

  @Test
  void timerOfAVisitorFiresInTime() throws Exception {
    CompletableFuture<Thread> fired = new CompletableFuture<>();
    Timer timer = new Timer(() -> fired.complete(Thread.currentThread()));
    visit(loop, () -> loop.schedule(timer, loop.nowNanos() + 20_000_000));

    assertThat(soon(fired)).as("the owner would have slept for a minute").isNotSameAs(Thread.currentThread());
  }

  /** An error too: the caller would take what it has handed over for lost. */
  @Test
  void visitThatFailsIsLoggedAndTheOwnerHasARound() throws Exception {
    CountDownLatch round = new CountDownLatch(1);
    CompletableFuture<Boolean> added = new CompletableFuture<>();
    AtomicBoolean failed = new AtomicBoolean();
    loop.execute(() -> {
      loop.add(() -> {
        if (failed.get()) {
          round.countDown();
        }
      });
      added.complete(true);
    });
    soon(added);
    visit(loop, () -> {
      failed.set(true);
      throw new LinkageError("a visitor of this test fails on purpose");
    });

    assertThat(round.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(loop.isOwner()).isFalse();
  }

  /** It might lose its carrier in the middle, and the owner would wait for it. */
  @Test
  void virtualThreadDoesNotVisit() throws Exception {
    visit(loop, () -> {}); // the owner sleeps
    CompletableFuture<Boolean> visited = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> visited.complete(loop.visit(() -> {})));

    assertThat(soon(visited)).isFalse();
  }

  @Test
  void connectionThatBreaksInAVisitEndsAfterIt() throws Exception {
    try (PipedConnection piped = new PipedConnection(10_000, 1 << 20, 200_000)) {
      piped.open();
      visit(piped.loop, () -> {
        piped.local.cutLink();
        piped.connection.queue(direct((byte) 1));
        piped.connection.flush();
        assertThat(piped.ends).isEmpty();
      });

      assertThat(piped.awaitEnd()).hasMessage("the link was cut");
    }
  }

  /** Counts nothing and closes nothing: the test reads at the other end. */
  private static final class Silent implements Connection.Handler {
    final CompletableFuture<Boolean> connected = new CompletableFuture<>();

    @Override
    public void onConnected() {
      connected.complete(true);
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {}

    @Override
    public void onClosed(Throwable cause) {
      connected.completeExceptionally(cause);
    }
  }

  /** The owner sleeps, and must be told that there is something to write now. */
  @Test
  void whatTheSocketDoesNotTakeInAVisitIsWrittenLater() throws Exception {
    byte[] bytes = pattern(8 << 20, 7); // more than the socket's buffers
    BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Silent handler = new Silent();
      CompletableFuture<Connection> opened = new CompletableFuture<>();
      loop.execute(() -> opened.complete(open(server, handler, pool)));
      Connection connection = soon(opened);
      try (Socket peer = server.accept()) {
        soon(handler.connected);
        CompletableFuture<Long> written = new CompletableFuture<>();
        visit(loop, () -> {
          connection.queue(direct(bytes));
          connection.flush();
          written.complete(connection.bytesWritten());
        });
        assertThat(soon(written)).isBetween(1L, bytes.length - 1L);

        assertThat(peer.getInputStream().readNBytes(bytes.length)).isEqualTo(bytes);
      }
    } finally {
      loop.close();
      pool.close();
    }
  }

  private Connection open(ServerSocket server, Connection.Handler handler, BufferPool pool) {
    try {
      Connection connection = new Connection(loop,
          SocketTransport.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort())), handler,
          new FrameMemory(loop, pool), 1024);
      connection.open();
      return connection;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
