package dev.decant.net;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.idle.IdleStrategy;
import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Frames that go to an echo over a loopback socket and come back, with a timer cancelled and one fired for each. The
 * echo is an agent of the same loop, so that one thread does everything.
 */
final class PingPong implements Connection.Handler, Agent, AutoCloseable {
  private static final int FRAME_BYTES = 150;

  private final EventLoop loop;
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false);
  private final Connection connection;
  private final SocketChannel echo;
  private final ByteBuffer echoed = ByteBuffer.allocateDirect(1 << 16);
  private final ByteBuffer length = ByteBuffer.allocateDirect(4).putInt(0, FRAME_BYTES);
  private final ByteBuffer payload = ByteBuffer.allocateDirect(FRAME_BYTES);
  private final Timer fires = new Timer(this::onTimer);
  /**
   * Fires if the echo is late: the echo is not in the selector, so this makes the loop poll it. Cancelled by the
   * response.
   */
  private final Timer looksAgain = new Timer(() -> {});
  private final BooleanSupplier isAnswered = this::isAnswered;
  // Written by the owner. The test's thread is the owner, or has driven the loop after the change.
  private boolean connected;
  private long wanted;
  private long sent;
  private long received;
  private long fired;

  PingPong(IdleStrategy idle) throws IOException, InterruptedException {
    loop = EventLoop.start("ping-pong", Clock.system(), idle, idle);
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketTransport transport = SocketTransport.connect((InetSocketAddress) server.getLocalAddress());
      connection = new Connection(loop, transport, LengthPrefixFraming.INSTANCE, this, new FrameMemory(loop, pool),
          1_000);
      echo = server.accept();
      echo.configureBlocking(false);
    }
    loop.execute(connection::open);
    loop.execute(() -> loop.add(this));
    drive(() -> loop.isOwner() && connected);
  }

  /** Borrows the loop once for each round trip. */
  void roundTrips(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      wanted++;
      drive(isAnswered);
    }
  }

  private void drive(BooleanSupplier done) throws InterruptedException {
    if (!loop.driveUntil(done, System.nanoTime() + TimeUnit.SECONDS.toNanos(20))) {
      throw new AssertionError(received + " answers instead of " + wanted);
    }
  }

  private boolean isAnswered() {
    return loop.isOwner() && received == wanted && fired >= wanted;
  }

  private void onTimer() {
    fired++;
  }

  @Override
  public int doWork() {
    int work = 0;
    if (sent < wanted) {
      sent++;
      work++;
      loop.schedule(fires, loop.nowNanos());
      connection.queue(length.clear());
      connection.queue(payload.clear());
      connection.flush();
    }
    if (received < sent) {
      loop.schedule(looksAgain, loop.nowNanos() + TimeUnit.MILLISECONDS.toNanos(1));
    }
    try {
      if (echo.read(echoed) > 0) {
        work++;
        echo.write(echoed.flip());
        echoed.clear();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return work;
  }

  @Override
  public void onConnected() {
    connected = true;
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    received++;
    loop.cancel(looksAgain);
  }

  @Override
  public void onClosed(Throwable cause) {}

  @Override
  public void close() throws IOException {
    loop.execute(() -> connection.close(new IOException("the test is over")));
    loop.close();
    echo.close();
    pool.close();
  }
}
