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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PartitionQueueTest {
  private static final int THREADS = 4;
  private static final int RECORDS = 2_000;
  private static final int PHASES = 20;
  private static final int DIVES = 100;
  private static final long STACK_BYTES = 256 * 1024;

  private final EventLoop loop = EventLoop.start("test-queue", Clock.system());
  private final BufferPool pool = new BufferPool(8 * 1024 * 1024, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 64 * 1024,
      1024 * 1024, 1_000_000_000L, 1_000_000_000L, Partitioner.byKey(),
      new RetryBackoff(1, 1), 1_000, CompressionType.NONE, 0, null, null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(pool.maxBytes()), settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final PartitionQueue queue = new PartitionQueue(producer, 0, new SequenceNumbers());

  @AfterEach
  void close() {
    loop.close();
    pool.close();
  }

  private void append(String value) {
    PendingRecord record = new PendingRecord();
    byte[] bytes = fill(record, value);
    while (!queue.append(record, bytes, null)) {
      if (queue.appendToNewChunk(record, bytes, null) == PartitionQueue.APPENDED) {
        return;
      }
    }
  }

  private static byte @Nullable [] fill(PendingRecord record, String value) {
    record.key("topic", "k", Serdes.string());
    byte[] bytes = record.value("topic", value, Serdes.string());
    record.headers(new Headers().add("h", new byte[] {1}));
    record.timestamp = System.currentTimeMillis();
    return bytes;
  }

  private static String value(int thread, int i) {
    return thread + "-" + i + "-" + "x".repeat(i % 90);
  }

  @Test
  void batchesOfManyThreadsAreReadByApacheEachRecordOnceAndInTheOrderOfItsThread() throws InterruptedException {
    Thread[] threads = new Thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
      int thread = t;
      threads[t] = Thread.ofPlatform().start(() -> {
        for (int i = 0; i < RECORDS; i++) {
          append(value(thread, i));
        }
      });
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Set<String> seen = new HashSet<>();
    int[] next = new int[THREADS];
    for (ProducerBatch batch = queue.takeOldest(); batch != null; batch = queue.takeOldest()) {
      batch.seal(new CRC32C(), 7, (short) 1, 0);
      for (Record record : read(batch)) {
        String value = StandardCharsets.UTF_8.decode(record.value()).toString();
        int thread = value.charAt(0) - '0';
        assertThat(value).isEqualTo(value(thread, next[thread]++));
        assertThat(record.headers()).hasSize(1);
        seen.add(value);
      }
      batch.release(batchMemory);
    }
    assertThat(seen).hasSize(THREADS * RECORDS);
    int[] all = new int[THREADS];
    Arrays.fill(all, RECORDS);
    assertThat(next).isEqualTo(all);
  }

  /** The loop used to take a batch between its beginning and its first record, and sent it empty. */
  @Test
  void batchThatIsDueAtOnceHasARecord() {
    PendingRecord record = new PendingRecord();
    byte[] bytes = fill(record, value(0, 0));
    assertThat(queue.append(record, bytes, null)).isFalse();
    assertThat(queue.appendToNewChunk(record, bytes, null)).isEqualTo(PartitionQueue.APPENDED);

    ProducerBatch batch = Objects.requireNonNull(queue.takeDue(System.nanoTime()));
    assertThat(batch.records()).isEqualTo(1);
    batch.release(batchMemory);
  }

  @Test
  void recordThatMayGoElsewhereBeginsNoSecondBatchHere() {
    PendingRecord record = new PendingRecord();
    byte[] bytes = fill(record, value(0, 0));
    record.mayGoElsewhere = true;
    assertThat(queue.appendToNewChunk(record, bytes, null)).isEqualTo(PartitionQueue.APPENDED);
    assertThat(record.needsWakeup).isTrue();
    record.needsWakeup = false;
    int outcome = PartitionQueue.APPENDED;
    while (outcome == PartitionQueue.APPENDED) { // into one chunk after the other
      outcome = queue.append(record, bytes, null)
          ? PartitionQueue.APPENDED
          : queue.appendToNewChunk(record, bytes, null);
    }
    assertThat(outcome).isEqualTo(PartitionQueue.BATCH_FULL);
    assertThat(record.needsWakeup).as("the batch is full").isTrue();
    assertThat(queue.begunBatches()).isEqualTo(1);
    ProducerBatch batch = Objects.requireNonNull(queue.takeDue(System.nanoTime()), "due, being full");
    assertThat(batch.records()).isGreaterThan(1);
    batch.release(batchMemory);

    record.needsWakeup = false;
    assertThat(queue.appendToNewChunk(record, bytes, null)).as("also for who comes later")
        .isEqualTo(PartitionQueue.BATCH_FULL);
    assertThat(record.needsWakeup).as("nothing has changed").isFalse();

    record.mayGoElsewhere = false;
    assertThat(queue.appendToNewChunk(record, bytes, null)).isEqualTo(PartitionQueue.APPENDED);
    assertThat(queue.isFilling()).isTrue();
    Objects.requireNonNull(queue.takeDue(System.nanoTime())).release(batchMemory);
    assertThat(queue.isFilling()).isFalse();
    record.mayGoElsewhere = true;
    assertThat(queue.appendToNewChunk(record, bytes, null)).as("it left with one record")
        .isEqualTo(PartitionQueue.BATCH_SENT);
  }

  /** A transaction's end closes the queue: a record comes before that, or is refused, and none slips into the next. */
  @Test
  void recordIsTakenBeforeTheQueueClosesOrNotAtAll() throws InterruptedException {
    AtomicInteger phase = new AtomicInteger();
    AtomicLong accepted = new AtomicLong();
    Thread[] threads = new Thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
      threads[t] = Thread.ofPlatform().start(() -> {
        PendingRecord record = new PendingRecord();
        for (int now = phase.get(); now < PHASES; now = phase.get()) {
          if (tryAppend(record, now + "!")) {
            accepted.incrementAndGet();
          }
        }
      });
    }
    long drained = 0;
    for (int now = 0; now < PHASES; now = phase.incrementAndGet()) {
      queue.accept(true);
      while (queue.begunBatches() == 0 || pool.leasedBytes() == 0) {
        Thread.onSpinWait();
      }
      queue.accept(false);
      while (queue.hasWaiting()) {
        ProducerBatch batch = queue.takeOldest();
        if (batch != null) { // else a record of it is being written
          batch.seal(new CRC32C(), 7, (short) 1, 0);
          for (Record record : read(batch)) {
            int began = Integer.parseInt(StandardCharsets.UTF_8.decode(record.value()).toString().replace("!", ""));
            assertThat(began).as("its send began, in phase %d", now).isLessThanOrEqualTo(now);
            drained++;
          }
          batch.release(batchMemory);
        }
      }
      assertThat(pool.leasedBytes()).as("nothing comes once the queue is closed").isZero();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(drained).isEqualTo(accepted.get()).isPositive();
  }

  private boolean tryAppend(PendingRecord record, String value) {
    byte[] bytes = fill(record, value);
    while (!queue.append(record, bytes, null)) {
      int outcome = queue.appendToNewChunk(record, bytes, null);
      if (outcome != PartitionQueue.TRY_AGAIN) {
        return outcome == PartitionQueue.APPENDED;
      }
    }
    return true;
  }

  @Test
  void aBatchThatHasFailedInFlightIsCompleteAndNotFinished() {
    List<ProducerBatch> sent = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      append("x");
      sent.add(sendOldest());
    }
    sent.getFirst().failed = true;
    queue.sends.batchFinished();
    assertThat(queue.hasCompleted(1)).isTrue();
    assertThat(queue.hasFinished(1)).as("its request has no response").isFalse();
    assertThat(queue.hasCompleted(2)).as("in flight").isFalse();
    assertThat(queue.openBatches()).isEqualTo(3);

    assertThat(queue.sends.oldestInFlight()).isSameAs(sent.get(1));
    sent.forEach(batch -> batch.failed = true);
    assertThat(queue.sends.oldestInFlight()).isNull();
    queue.sends.batchFinished();
    assertThat(queue.hasCompleted(3)).isTrue();
    append("x");
    assertThat(queue.hasCompleted(queue.begunBatches())).as("one waits").isFalse();
    queue.sends.batchFinished();
    assertThat(queue.hasCompleted(3)).isTrue();
    assertThat(queue.hasCompleted(4)).isFalse();

    sent.add(sendOldest());
    for (ProducerBatch batch : sent) {
      assertThat(queue.sends.removeInFlight(batch)).isTrue();
      batch.release(batchMemory);
    }
    queue.sends.batchFinished();
    assertThat(queue.hasFinished(4)).isTrue();
  }

  private ProducerBatch sendOldest() {
    ProducerBatch batch = Objects.requireNonNull(queue.takeOldest());
    queue.sends.sent(batch, 0);
    return batch;
  }

  @Test
  void partitionWithLittleToSendTakesLittleMemoryAndOneWithMuchTakesABatchInOnePiece() {
    append("x".repeat(100));
    assertThat(pool.leasedBytes()).isEqualTo(PartitionQueue.SMALLEST_CHUNK_BYTES);
    while (queue.begunBatches() < 3) {
      append("x".repeat(100));
    }
    ProducerBatch first = Objects.requireNonNull(queue.takeOldest());
    ProducerBatch second = Objects.requireNonNull(queue.takeOldest());
    assertThat(first.sliceCount()).as("2, 2, 4, 8, 16, 32 KiB, and the rest").isBetween(6, 7);
    assertThat(second.sliceCount()).isEqualTo(1);
    assertThat(second.closedBytes()).isGreaterThan(settings.batchSize() - 200);
    first.release(batchMemory);
    second.release(batchMemory);
    Objects.requireNonNull(queue.takeOldest()).release(batchMemory);
  }

  /** Appends at each call on the way up from the end of the stack, until there is room for it. */
  private static final class Diver {
    private final PartitionQueue queue;
    private final PendingRecord record = new PendingRecord();
    private final SendListener first = new Ignored();
    private final SendListener second = new Ignored();
    private int appends;
    private boolean appended;

    Diver(PartitionQueue queue) {
      this.queue = queue;
      fill(record, "v");
    }

    /** A record of another time and listener than the one before, so that all parts of an append have work. */
    private boolean append() {
      record.timestamp++;
      return queue.append(record, null, appends++ % 2 == 0 ? first : second);
    }

    private void begin() {
      appended = false;
      if (!append()) {
        assertThat(queue.appendToNewChunk(record, null, first)).isEqualTo(PartitionQueue.APPENDED);
      }
    }

    @SuppressWarnings("InfiniteRecursion") // to the end of the stack
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
  }

  private static final class Ignored implements SendListener {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {}

    @Override
    public void onFailure(long tag, KafkaException error) {}
  }

  /** The stack may end at any call between the claim of a place and its commit. */
  @Test
  void appendAtTheEndOfTheStackLeavesNoHole() throws InterruptedException {
    Diver diver = new Diver(queue);
    int damaged = 0;
    for (int i = 0; i < DIVES; i++) {
      int larger = i;
      diver.begin();
      Thread thread = new Thread(null, () -> diver.dive(larger, 1, 2, 3), "diver", STACK_BYTES);
      thread.start();
      thread.join();

      assertThat(diver.appended).isTrue();
      ProducerBatch batch = Objects.requireNonNull(queue.takeOldest(), "of it, each place is committed or abandoned");
      assertThat(batch.records()).isGreaterThan(1);
      damaged += batch.isDamaged() ? 1 : 0;
      batch.release(batchMemory);
    }
    assertThat(damaged).as("batches with an abandoned place").isPositive();
  }

  private static Iterable<Record> read(ProducerBatch batch) {
    ByteBuffer whole = ByteBuffer.allocate(batch.closedBytes());
    for (int i = 0; i < batch.sliceCount(); i++) {
      whole.put(batch.slice(i));
    }
    RecordBatch read = MemoryRecords.readableRecords(whole.flip()).firstBatch();
    read.ensureValid();
    assertThat(read.countOrNull()).isEqualTo(batch.records());
    assertThat(read.producerId()).isEqualTo(7);
    return read;
  }
}
