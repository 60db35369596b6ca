package dev.decant.net.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.net.FrameMemory;
import dev.decant.net.SocketTransport;
import dev.decant.time.Clock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Memory for handshakes while the process has no direct memory. The loop itself tried to allocate it, which takes half
 * a second each time, and any host could cause that.
 */
@Timeout(60)
class TlsMemoryTest {
  private static final long PATIENCE_SECONDS = 20;

  private final AtomicLong aheadNanos = new AtomicLong();
  private final EventLoop loop = EventLoop.start("no-memory", new Clock() {
    @Override
    public long nanoTime() {
      return System.nanoTime() + aheadNanos.get();
    }

    @Override
    public long epochMillis() {
      return System.currentTimeMillis();
    }
  });
  private final BufferPool pool = new BufferPool(1 << 20, TlsMemory.CONNECTION_BYTES, true);
  private final BufferPool framePool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
  private final List<Boolean> onLoop = new CopyOnWriteArrayList<>();
  private volatile boolean isThereMemory;

  private @Nullable PooledBuffer allocate() {
    onLoop.add(loop.isOwner());
    boolean succeeds = isThereMemory; // read before the test learns of the attempt and lets the next one succeed
    attempts.add(attempts.size());
    if (!succeeds) {
      throw new OutOfMemoryError("says this test");
    }
    return pool.tryLease(TlsMemory.CONNECTION_BYTES);
  }

  @Test
  void anotherThreadAllocatesAndTriesAgainAfterAWhile() throws Exception {
    try (TlsWorld world = new TlsWorld()) {
      int port = world.serve(TlsWorld.load(TlsWorld.serverSettings()), TlsSide::echoing).localAddress().getPort();
      TlsMemory memory = new TlsMemory(loop, pool, this::allocate);
      TlsSide client = new TlsSide(loop,
          TlsTransport.client(TlsWorld.load(TlsWorld.clientSettings().handshakeTimeout(Duration.ofDays(1))),
              SocketTransport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)), "localhost", port,
              memory),
          new FrameMemory(loop, framePool)).open();
      assertThat(attempts.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isNotNull();
      assertThat(client.connected).isNotDone();

      isThereMemory = true;
      do { // one of these steps notes the failure on the loop
        aheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        loop.signal();
      } while (attempts.poll(10, TimeUnit.MILLISECONDS) == null);
      client.awaitConnected().send("hello");
      assertThat(client.awaitText(5)).isEqualTo("hello");
      client.close();
      client.awaitEnd();
      world.nextAccepted().awaitEnd();
    }
    assertThat(onLoop).isNotEmpty().containsOnly(false);
    loop.close();
    pool.close();
    framePool.close();
  }
}
