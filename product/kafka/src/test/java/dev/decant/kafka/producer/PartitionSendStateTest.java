package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.producer.PartitionSendState.Hold;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What keeps a partition from sending, in the order in which it counts. */
@Timeout(60)
class PartitionSendStateTest {
  private static final long DELIVERY_TIMEOUT_NANOS = 1_000_000_000_000L;
  private static final int MAX_IN_FLIGHT = 3;

  private final EventLoop loop = EventLoop.start("test-sends", Clock.system());
  private final BufferPool pool = new BufferPool(8 * 1024 * 1024, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 64 * 1024, 1024 * 1024,
      1_000_000_000L, DELIVERY_TIMEOUT_NANOS, Partitioner.byKey(), new RetryBackoff(1, 1), 1_000, CompressionType.NONE,
      0, null, null, Integer.MAX_VALUE, MAX_IN_FLIGHT);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(pool.maxBytes()), settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final SequenceNumbers numbers = new SequenceNumbers();
  private final PartitionQueue queue = new PartitionQueue(producer, 0, numbers);
  private final PartitionSendState sends = queue.sends;
  private final List<ProducerBatch> taken = new ArrayList<>();

  @AfterEach
  void close() {
    taken.forEach(batch -> batch.release(batchMemory));
    loop.close();
    pool.close();
  }

  private void append() {
    PendingRecord record = new PendingRecord();
    record.key("t", null, Serdes.string());
    record.value("t", "v", Serdes.string());
    record.headers(null);
    assertThat(queue.appendToNewChunk(record, null, null)).isEqualTo(PartitionQueue.APPENDED);
  }

  private ProducerBatch send() {
    append();
    ProducerBatch batch = Objects.requireNonNull(queue.takeOldest());
    taken.add(batch);
    batch.seal(producer, numbers);
    sends.sent(batch, 0);
    return batch;
  }

  private long later() {
    return batchMemory.nanoTime();
  }

  @Test
  void nothingHoldsAPartitionWithoutBatches() {
    assertThat(sends.hold(later())).isEqualTo(Hold.NONE);
    assertThat(sends.hasWork()).isFalse();
  }

  @Test
  void waitingBatchThatIsTooOldFailsBeforeAnythingElse() {
    append();
    long expiry = queue.oldestCreatedNanos() + DELIVERY_TIMEOUT_NANOS;
    assertThat(sends.hold(expiry - 1)).isEqualTo(Hold.NONE);
    assertThat(sends.hold(expiry)).isEqualTo(Hold.EXPIRED);
    assertThat(sends.holdOfUnexpired(expiry)).isEqualTo(Hold.NONE);
    taken.add(Objects.requireNonNull(sends.takeExpired(expiry)));
    assertThat(sends.hold(expiry)).isEqualTo(Hold.NONE);
  }

  @Test
  void batchThatHasFailedInFlightExpiresOnce() {
    numbers.begin(7, (short) 1);
    ProducerBatch batch = send();
    long expiry = batch.createdNanos + DELIVERY_TIMEOUT_NANOS;
    assertThat(sends.hold(expiry)).isEqualTo(Hold.EXPIRED);
    batch.failed = true; // its listeners were called; it stays in flight until its response
    assertThat(sends.hold(expiry)).isEqualTo(Hold.RESPONSE);
  }

  @Test
  void firstBatchIsAloneUntilTheBrokerKnowsTheProducerId() {
    numbers.begin(7, (short) 1);
    ProducerBatch first = send();
    assertThat(sends.hold(later())).isEqualTo(Hold.RESPONSE);
    assertThat(sends.removeInFlight(first)).isTrue();
    numbers.confirm(first.number, first.baseSequence);
    for (int i = 0; i < MAX_IN_FLIGHT; i++) {
      assertThat(sends.hold(later())).as("with %d in flight", i).isEqualTo(Hold.NONE);
      send();
    }
    assertThat(sends.hold(later())).isEqualTo(Hold.RESPONSE);
  }

  @Test
  void noNewBatchOvertakesOneThatIsRetried() {
    numbers.begin(7, (short) 1);
    ProducerBatch first = send();
    numbers.confirm(first.number, first.baseSequence);
    ProducerBatch second = send();
    assertThat(sends.removeInFlight(first)).isTrue();
    long retryAt = later() + DELIVERY_TIMEOUT_NANOS / 2;
    sends.retry(first, retryAt);
    assertThat(sends.hold(retryAt - 1)).isEqualTo(Hold.BACKOFF);
    assertThat(sends.hold(retryAt)).as("the second is in flight").isEqualTo(Hold.RESPONSE);
    assertThat(sends.hasOlder(second)).isTrue();
    assertThat(sends.removeInFlight(second)).isTrue();
    assertThat(sends.hold(retryAt)).isEqualTo(Hold.NONE);
    assertThat(sends.retries.takeNext()).isSameAs(first);
    sends.sent(first, 1);
    assertThat(sends.hold(retryAt)).as("order is not restored yet").isEqualTo(Hold.RESPONSE);
    assertThat(sends.removeInFlight(first)).isTrue();
    sends.endRecovery();
    assertThat(sends.hold(retryAt)).isEqualTo(Hold.NONE);
  }

  @Test
  void leaderThatMovedEndsTheBackoff() {
    numbers.begin(7, (short) 1);
    ProducerBatch batch = send();
    assertThat(sends.removeInFlight(batch)).isTrue();
    long now = later();
    sends.retry(batch, now + 1_000_000);
    assertThat(sends.hold(now)).isEqualTo(Hold.BACKOFF);
    sends.clearBackoff(now);
    assertThat(sends.hold(now)).isEqualTo(Hold.NONE);
    assertThat(sends.retries.poll()).isSameAs(batch);
  }
}
