package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What splitting batches allocates, hour after hour. */
@Timeout(60)
@Tag("allocation")
class BatchSplitterAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int RECORDS = 400;
  private static final int PARTS = 16;
  private static final int WARM_UP_RUNS = 40;
  private static final int RUNS = 100;
  private static final int MEASUREMENTS = 5;

  private final EventLoop loop = EventLoop.start("test-split-allocation", Clock.system());
  private final BufferPool pool = new BufferPool(4 << 20, PartitionQueue.SMALLEST_CHUNK_BYTES);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 1 << 20, 2 << 20,
      1_000_000_000L, 1_000_000_000L, Partitioner.byKey(), new RetryBackoff(1, 1), 1_000, CompressionType.NONE, 0, null,
      null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(pool.maxBytes()), settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final PartitionQueue queue = new PartitionQueue(producer, 0, new SequenceNumbers());
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final AtomicInteger direct = new AtomicInteger();
  private final BatchSplitter splitter = new BatchSplitter(bytes -> {
    direct.addAndGet(bytes);
    return ByteBuffer.allocateDirect(bytes);
  });
  private final PendingRecord record = new PendingRecord();
  private final byte[] value = new byte[1_000];
  private final ArrayDeque<ProducerBatch> parts = new ArrayDeque<>();
  private long acknowledged;
  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      acknowledged++;
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      throw new AssertionError(error);
    }
  };

  @AfterEach
  void close() {
    loop.close();
    pool.close();
  }

  private void run() {
    for (int i = 0; i < RECORDS; i++) {
      record.key("topic", null, Serdes.bytes());
      record.value("topic", value, Serdes.bytes());
      record.headers(null);
      record.timestamp = i;
      if (!queue.append(record, value, listener)) {
        queue.appendToNewChunk(record, value, listener);
      }
    }
    parts.addLast(Objects.requireNonNull(queue.takeOldest()));
    while (parts.size() < PARTS) {
      ProducerBatch part = parts.removeFirst();
      parts.addLast(splitter.split(part));
      parts.addLast(part);
    }
    while (!parts.isEmpty()) {
      ProducerBatch part = parts.removeFirst();
      part.acknowledge(0, -1, telemetry.errors());
      part.release(batchMemory);
    }
  }

  /** Each half took 1.4 MB of heap, which was kept for ever, and 64 KiB of direct memory outside of the pool. */
  @Test
  void splitBatchesTakeNoMemoryOnceTheirPartsAreUsedAgain() {
    for (int i = 0; i < WARM_UP_RUNS; i++) {
      run();
    }
    int directBefore = direct.get();
    long least = Long.MAX_VALUE;
    for (int measurement = 0; measurement < MEASUREMENTS; measurement++) { // the JVM links code in some of them
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < RUNS; i++) {
        run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least / RUNS).as("bytes of heap for a batch in " + PARTS + " parts").isLessThan(64);
    assertThat(direct.get() - directBefore).as("bytes of direct memory").isZero();
    assertThat(directBefore).isEqualTo(ProducerBatch.HEADER_BYTES * (PARTS - 1));
    assertThat(acknowledged).isEqualTo((long) RECORDS * (WARM_UP_RUNS + MEASUREMENTS * RUNS));
    assertThat(pool.leasedBytes()).isZero();
  }
}
