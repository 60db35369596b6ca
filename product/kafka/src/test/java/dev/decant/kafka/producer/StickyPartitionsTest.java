package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.PartitionMetadata;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where threads go that meet, and when they come back. */
class StickyPartitionsTest {
  private static final int PARTITIONS = 3;
  private static final int BATCH = 7;

  private final EventLoop loop = EventLoop.start("test-sticky", Clock.system());
  private final BufferPool pool = new BufferPool(1024 * 1024, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 64 * 1024, 1024 * 1024,
      1_000_000_000L, 1_000_000_000L,
      Partitioner.byKey(), new RetryBackoff(1, 1), 1_000, CompressionType.NONE, 0, null, null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(pool.maxBytes()), settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final PartitionQueue[] all = IntStream.range(0, PARTITIONS)
      .mapToObj(p -> new PartitionQueue(producer, p, new SequenceNumbers()))
      .toArray(PartitionQueue[]::new);
  private final StickyPartitions sticky = new StickyPartitions(null);

  @AfterEach
  void close() {
    for (PartitionQueue queue : all) {
      for (ProducerBatch b = queue.takeOldest(); b != null; b = queue.takeOldest()) {
        b.release(batchMemory);
      }
    }
    loop.close();
    pool.close();
  }

  private void lead(int... partitions) {
    Set<Integer> led = new HashSet<>(IntStream.of(partitions).boxed().toList());
    TopicMetadata topic = new TopicMetadata("t", Uuid.ZERO, ErrorCode.NONE,
        IntStream.range(0, PARTITIONS).mapToObj(p -> new PartitionMetadata(led.contains(p) ? 1 : -1, 0)).toList());
    sticky.update(topic, new ClusterSnapshot(1, null, -1, Map.of(), Map.of(), Map.of()));
    sticky.begin(all);
  }

  private void fill(int partition) {
    PendingRecord record = new PendingRecord();
    record.valueSize = 1;
    record.keySize = -1;
    assertThat(all[partition].appendToNewChunk(record, new byte[1], null)).isEqualTo(PartitionQueue.APPENDED);
  }

  @Test
  void eachStripeThatBeginsGoesToAPartitionOfItsOwn() {
    lead(0, 1, 2);
    int first = sticky.current(0);
    fill(first);
    int second = sticky.stripeAfter(0, all);
    fill(sticky.current(second));
    int third = sticky.stripeAfter(second, all);
    assertThat(Set.of(first, sticky.current(second), sticky.current(third))).hasSize(PARTITIONS);
    assertThat(sticky.current(0)).as("who was there first stays").isEqualTo(first);
  }

  @Test
  void whoComesLaterJoinsAStripeThatIsBeingFilled() {
    lead(0, 1, 2);
    int stripe = sticky.stripeAfter(0, all);
    int partition = sticky.current(stripe);
    fill(partition);
    assertThat(sticky.stripeAfter(0, all)).isEqualTo(stripe);
    assertThat(sticky.current(stripe)).isEqualTo(partition);
  }

  @Test
  void thereAreNoMoreStripesThanPartitionsThatHaveATurn() {
    lead(1, 2);
    assertThat(sticky.stripeAfter(sticky.stripeAfter(0, all), all)).isZero();
    lead(1);
    assertThat(sticky.stripeAfter(0, all)).isZero();
    assertThat(sticky.current(0)).isEqualTo(1);
  }

  @Test
  void stripesGoOnFromFullBatchesEachForItself() {
    lead(0, 1, 2);
    int first = sticky.current(0);
    int stripe = sticky.stripeAfter(0, all);
    int second = sticky.current(stripe);
    int next = sticky.after(stripe, second, all);
    assertThat(next).isNotIn(first, second);
    assertThat(sticky.after(stripe, second, all)).as("another thread that found the same batch full").isEqualTo(next);
    assertThat(sticky.current(0)).isEqualTo(first);
  }

  /** Two that move at once used to choose twice, and the first one's record lay alone in a batch. */
  @Test
  void whoComesBeforeTheFirstRecordGoesWhereItGoes() {
    lead(0, 1, 2);
    fill(sticky.current(0));
    int chosen = sticky.current(sticky.stripeAfter(0, all));
    assertThat(sticky.current(sticky.stripeAfter(0, all))).isEqualTo(chosen);
  }

  @Test
  void partitionsOfStripesThatNobodyUsesHaveTheirTurns() {
    lead(0, 1, 2);
    int second = sticky.stripeAfter(0, all);
    int left = sticky.current(sticky.stripeAfter(second, all));
    Set<Integer> later = new HashSet<>();
    for (int i = 0; i < 2 * PARTITIONS; i++) {
      later.add(sticky.after(0, sticky.current(0), all));
    }
    assertThat(later).contains(left).hasSize(PARTITIONS);
  }

  @Test
  void racesCountWithinABatch() {
    PendingRecord record = new PendingRecord();
    record.mayGoElsewhere = true;
    for (int batch = 1; batch <= 1000; batch++) {
      record.losesRace(batch);
    }
    assertThat(record.isContended()).isFalse();
  }

  @Test
  void threadBearsMoreLostRacesEachTimeItMoves() {
    PendingRecord record = new PendingRecord();
    record.mayGoElsewhere = true;
    int before = 0;
    for (int stripe = 1; stripe <= 4; stripe++) {
      int lost = loseUntilTooOften(record);
      assertThat(lost).isGreaterThan(before);
      before = lost;
      record.moveTo(stripe);
      assertThat(record.isContended()).isFalse();
    }
    record.losesRace(BATCH);
    record.comeBack();
    assertThat(record.stripe()).isZero();
    assertThat(record.isContended()).as("what was lost elsewhere is forgotten").isFalse();
    assertThat(loseUntilTooOften(record)).isLessThan(before);
    record.mayGoElsewhere = false;
    assertThat(record.isContended()).as("one whose partition was asked for").isFalse();
  }

  @Test
  void threadBeginsAnewWithAnotherProducer() {
    PendingRecord record = new PendingRecord();
    record.mayGoElsewhere = true;
    assertThat(record.stripeIn(1)).isZero();
    loseUntilTooOften(record);
    record.moveTo(2);
    assertThat(record.stripeIn(1)).isEqualTo(2);
    loseUntilTooOften(record);
    assertThat(record.stripeIn(7)).isZero();
    assertThat(record.isContended()).isFalse();
    assertThat(record.stripeIn(1)).as("it is not kept").isZero();
  }

  private static int loseUntilTooOften(PendingRecord record) {
    int lost = 0;
    while (!record.isContended()) {
      record.losesRace(BATCH);
      lost++;
    }
    return lost;
  }
}
