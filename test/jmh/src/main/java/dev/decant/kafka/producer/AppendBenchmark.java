package dev.decant.kafka.producer;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordWriter;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a record of 100 bytes costs from {@code send} to its place in a batch, beside the naive form: one thread that
 * writes records behind each other into its own memory. Full batches are taken and given back at once, in place of the
 * loop. Run it as {@code BufferAccessBenchmark} says, with {@code -t 8} for eight threads.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AppendBenchmark {
  private static final int BATCH_BYTES = 64 * 1024;
  private static final int MEMORY_BYTES = 64 * BATCH_BYTES;

  private final Clock clock = Clock.system();
  private final EventLoop loop = EventLoop.start("append-benchmark", clock);
  private final BufferPool pool = new BufferPool(MEMORY_BYTES, PartitionQueue.SMALLEST_CHUNK_BYTES);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.LEADER, false, 5_000_000, BATCH_BYTES,
      1024 * 1024, 1_000_000_000L, 1_000_000_000L, Partitioner.byKey(), new RetryBackoff(1, 1), 1_000,
      CompressionType.NONE, 0, null, null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(MEMORY_BYTES), settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final PartitionQueue queue = new PartitionQueue(producer, 0, new SequenceNumbers());
  private final PendingRecords records = new PendingRecords();
  private final byte[] value = new byte[100];
  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {}

    @Override
    public void onFailure(long tag, KafkaException error) {}
  };

  /** What a thread has for itself. */
  @State(Scope.Thread)
  public static class Own {
    private final ByteBuffer memory = ByteBuffer.allocateDirect(BATCH_BYTES);
    private final PendingRecord record = new PendingRecord();
    private int at;
    private int count;

    /** Creates the thread's state. */
    public Own() {}
  }

  /** Creates the benchmark's state. */
  public AppendBenchmark() {}

  /** Ends the loop. */
  @TearDown
  public void close() {
    loop.close();
  }

  /** Appends a record with a listener, as a send does. */
  @Benchmark
  public void append() {
    append(clock.epochMillis());
  }

  /** Appends with a timestamp of the caller's: no clock is read. */
  @Benchmark
  public void appendWithTimestamp() {
    append(1_700_000_000_000L);
  }

  /** Appends without a listener: neither tag nor time is stored beside the record. */
  @Benchmark
  public void appendWithoutListener() {
    PendingRecord record = records.take();
    try {
      append(record, clock.epochMillis(), null);
    } finally {
      records.give(record);
    }
  }

  /**
   * Appends with a pending record of the thread's own, which comes from no pool.
   *
   * @param own has the record
   */
  @Benchmark
  public void appendWithOwnRecord(Own own) {
    append(own.record, clock.epochMillis(), listener);
  }

  private void append(long timestamp) {
    PendingRecord record = records.take();
    try {
      append(record, timestamp, listener);
    } finally {
      records.give(record);
    }
  }

  private void append(PendingRecord record, long timestamp, @Nullable SendListener heard) {
    record.headers(null);
    record.key("t", null, Serdes.bytes());
    byte[] bytes = record.value("t", value, Serdes.bytes());
    record.partition = 0;
    record.timestamp = timestamp;
    record.tag = 7;
    if (!queue.append(record, bytes, heard)) {
      appendSlowPath(record, bytes, heard);
    }
  }

  private void appendSlowPath(PendingRecord record, byte @Nullable [] bytes, @Nullable SendListener heard) {
    do {
      int outcome = queue.appendToNewChunk(record, bytes, heard);
      if (outcome == PartitionQueue.APPENDED) {
        break;
      }
      if (outcome == PartitionQueue.BUFFER_FULL) {
        giveBackFull();
      }
    } while (!queue.append(record, bytes, heard));
    if (record.needsWakeup) {
      record.needsWakeup = false;
      giveBackFull();
    }
  }

  /** Gives the memory of full batches back, in place of the owner of the loop. */
  private synchronized void giveBackFull() {
    for (ProducerBatch batch = queue.takeDue(0); batch != null; batch = queue.takeDue(0)) {
      batch.release(batchMemory);
    }
  }

  /**
   * Writes a record of the same size behind the last one.
   *
   * @param own memory of this thread
   * @return where the record ends
   */
  @Benchmark
  public int bare(Own own) {
    if (own.at + value.length + 32 > BATCH_BYTES) {
      own.at = 0;
      own.count = 0;
    }
    own.at = RecordWriter.write(own.memory, own.at, 0, own.count++, null, value);
    return own.at;
  }
}
