package dev.decant.jmh;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.completion.Completion;
import dev.decant.idle.IdleStrategy;
import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import dev.decant.net.Connection;
import dev.decant.net.FrameMemory;
import dev.decant.net.Framing;
import dev.decant.net.SocketTransport;
import dev.decant.time.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Round trips of a connection on an event loop, which the waiting thread drives or leaves to the I/O thread. */
final class LoopTrips implements Trips, Connection.Handler, Agent {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** Messages of one length, without a header. */
  private enum FixedFraming implements Framing {
    INSTANCE;

    @Override
    public long frameBytes(ByteBuffer in, int from, int scanned, int to) {
      return FRAME_BYTES;
    }

    @Override
    public int headerBytes() {
      return 0;
    }
  }

  private final boolean borrows;
  private final EventLoop loop;
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false);
  private final Connection connection;
  private final ByteBuffer message = ByteBuffer.allocateDirect(FRAME_BYTES);
  private final Completion answer = new Completion();
  private final BooleanSupplier isAnswered = this::isAnswered;
  private volatile long ticket;
  private volatile long wanted;
  private volatile boolean connected;
  private long sent; // owner of the loop only

  LoopTrips(IdleStrategy idle, boolean borrows, boolean echoSpins) throws IOException, InterruptedException {
    this.borrows = borrows;
    loop = EventLoop.start("decant-trips", Clock.system(), borrows ? IdleStrategy.block() : idle, idle);
    try (Echo echo = new Echo(echoSpins)) {
      SocketTransport transport = SocketTransport.connect(echo.address());
      connection = new Connection(loop, transport, FixedFraming.INSTANCE, this, new FrameMemory(loop, pool), 1_000);
      echo.accept();
    }
    loop.execute(connection::open);
    loop.execute(() -> loop.add(this));
    if (!loop.driveUntil(() -> connected, System.nanoTime() + PATIENCE_NANOS)) {
      throw new IllegalStateException("no connection over loopback");
    }
    if (!borrows) {
      loop.beginParkedWait(); // the I/O thread drives from now on
    }
  }

  private boolean isAnswered() {
    return answer.isDone(ticket);
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  public void trip() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    ticket = answer.begin();
    wanted++;
    boolean answered;
    if (borrows) {
      answered = loop.driveUntil(isAnswered, deadline);
    } else {
      loop.signal();
      answered = answer.await(ticket, deadline);
    }
    if (!answered) {
      throw new IllegalStateException("no answer");
    }
  }

  @Override
  public int doWork() {
    if (sent == wanted) {
      return 0;
    }
    sent++;
    connection.queue(message.clear());
    connection.flush();
    return 1;
  }

  @Override
  public void onConnected() {
    connected = true;
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    answer.complete(ticket, to - from);
  }

  @Override
  public void onClosed(Throwable cause) {}

  @Override
  public void close() {
    loop.execute(() -> connection.close(new IOException("done"))); // which ends the echo
    loop.close();
    pool.close();
  }
}
