package dev.decant.jmh;

import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordWriter;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a record costs in a batch: no key, a value of 100 bytes, 100 records a batch; all figures per record. Run as
 * {@link BufferAccessBenchmark} says.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class RecordBatchBenchmark {
  private static final int RECORDS = 100;
  private static final int CAPACITY = 16 * 1024;

  private final byte[] value = new byte[100];
  private final ByteBuffer target = ByteBuffer.allocateDirect(CAPACITY);
  private final ByteBuffer source = ByteBuffer.allocateDirect(CAPACITY);
  private final CRC32C crc = new CRC32C();
  private final RecordBatchHeader header = new RecordBatchHeader();
  private final RecordBatchReader reader = new RecordBatchReader();
  private int sourceEnd;

  /** Creates the benchmark's state. */
  public RecordBatchBenchmark() {}

  /** Writes the batch that is read. */
  @Setup
  public void fill() {
    sourceEnd = writeRecords(source);
    header.recordCount = RECORDS;
    header.lastOffsetDelta = RECORDS - 1;
    header.writeTo(source, 0, sourceEnd - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(crc, source, 0, sourceEnd);
  }

  private int writeRecords(ByteBuffer buffer) {
    int p = RecordBatchHeader.BYTES;
    for (int i = 0; i < RECORDS; i++) {
      p = RecordWriter.write(buffer, p, i, i, null, value);
    }
    return p;
  }

  /**
   * Writes the records, without header and checksum.
   *
   * @return the index after the last
   */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public int write() {
    return writeRecords(target);
  }

  /**
   * Writes header and checksum of a batch whose records are written.
   *
   * @return the checksum
   */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public int seal() {
    header.writeTo(source, 0, sourceEnd - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(crc, source, 0, sourceEnd);
    return source.getInt(RecordBatchHeader.CRC);
  }

  /**
   * Checks header and checksum, and reads no record.
   *
   * @return the count of records
   */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public int check() {
    reader.wrap(source, 0, sourceEnd);
    return reader.nextBatch() ? reader.recordCount() : 0;
  }

  /**
   * Checks the batch and reads each record's offset, timestamp and four bytes of its value.
   *
   * @return their sum
   */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long checkAndRead() {
    long sum = 0;
    reader.wrap(source, 0, sourceEnd);
    while (reader.nextBatch()) {
      while (reader.nextRecord()) {
        sum += reader.offset() + reader.timestamp() + reader.buffer().getInt(reader.valueOffset());
      }
    }
    return sum;
  }
}
