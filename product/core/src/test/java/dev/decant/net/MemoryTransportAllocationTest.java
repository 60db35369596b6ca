package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.buffer.BufferPool;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message through a connection in memory allocates no bytes once it is warm. */
@Tag("allocation")
@Timeout(120)
class MemoryTransportAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int RUNS = 100;
  private static final int TRIPS = 500;

  @Test
  void aRoundTripAllocatesNothing() {
    try (EventLoop one = EventLoop.withoutThread("one", Clock.system());
        EventLoop other = EventLoop.withoutThread("other", Clock.system());
        BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false)) {
      MemoryTransport end = MemoryTransport.open();
      MemoryTransportThreadsTest.Trips client = new MemoryTransportThreadsTest.Trips(one, pool, end, false);
      MemoryTransportThreadsTest.Trips server = new MemoryTransportThreadsTest.Trips(other, pool, end.peer(), true);
      one.execute(client.connection::open);
      other.execute(server.connection::open);
      one.doWork();
      other.doWork();
      long least = Long.MAX_VALUE;
      long received = 0;
      for (int run = 0; run < RUNS; run++) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < TRIPS; i++) {
          client.send();
          other.doWork();
          one.doWork();
          received++;
        }
        least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(client.received).isEqualTo(received);
      assertThat(least).as("bytes of %d round trips", TRIPS).isZero();
    }
  }
}
