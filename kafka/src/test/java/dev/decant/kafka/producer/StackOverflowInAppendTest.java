package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The stack may end at any call between the claim of a place and its commit. Each dive ends a few bytes further up or
 * down than the one before, and appends at each call on the way up until there is room for it.
 */
@Timeout(60)
class StackOverflowInAppendTest {
  private static final int DIVES = 100;
  private static final int BEFORE = 3;
  private static final long STACK_BYTES = 256 * 1024;

  private final EventLoop loop = EventLoop.start("test-stack", Clock.system());
  private final BufferPool pool = new BufferPool(8 * 1024 * 1024, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 64 * 1024,
      1024 * 1024, 1_000_000_000L, 1_000_000_000L, Partitioner.byKey(),
      new RetryBackoff(1, 1), 1_000, CompressionType.NONE, 0, null, null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final PartitionQueue queue = new PartitionQueue(producer, 0, new SequenceNumbers());
  private final PendingRecord record = new PendingRecord();
  private final SendListener first = new Ignored();
  private final SendListener second = new Ignored();
  private int appends;
  private boolean appended;

  private static final class Ignored implements SendListener {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {}

    @Override
    public void onFailure(long tag, KafkaException error) {}
  }

  @AfterEach
  void close() {
    loop.close();
    pool.close();
  }

  /** A record of another time and listener than the one before, so that all parts of an append have work. */
  private boolean append() {
    record.timestamp++;
    return queue.append(record, null, appends++ % 2 == 0 ? first : second);
  }

  private void dive() {
    try {
      dive();
    } catch (StackOverflowError e) {
      if (!appended) {
        appended = append(); // throws the same until there is room for it
      }
    }
  }

  /** Its frames are larger, so that where the stack ends depends on how many of them there are. */
  private void dive(int larger, long a, long b, long c) {
    if (larger == 0) {
      dive();
    } else {
      dive(larger - 1, b, c, a);
    }
  }

  @Test
  void eachPlaceIsCommittedOrAbandoned() throws InterruptedException {
    record.key("t", "k", Serdes.string());
    record.value("t", "v", Serdes.string());
    record.headers(null);
    record.timestamp = System.currentTimeMillis();
    int damaged = 0;
    for (int i = 0; i < DIVES; i++) {
      for (int n = 0; n < BEFORE; n++) {
        if (!append()) {
          assertThat(queue.appendToNewChunk(record, null, first)).isEqualTo(PartitionQueue.APPENDED);
        }
      }
      appended = false;
      int larger = i;
      Thread diver = new Thread(null, () -> dive(larger, 1, 2, 3), "diver", STACK_BYTES);
      diver.start();
      diver.join();

      assertThat(appended).isTrue();
      ProducerBatch batch = Objects.requireNonNull(queue.takeOldest(), "of it, each place is committed or abandoned");
      assertThat(batch.records()).isGreaterThan(BEFORE);
      damaged += batch.isDamaged() ? 1 : 0;
      batch.release(batchMemory);
    }
    assertThat(damaged).as("batches with an abandoned place").isPositive();
  }
}
