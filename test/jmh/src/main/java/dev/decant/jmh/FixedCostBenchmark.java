package dev.decant.jmh;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the platform charges for a clock read and for a checksum. Run as {@link BufferAccessBenchmark} says.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class FixedCostBenchmark {
  private final ByteBuffer small = ByteBuffer.allocateDirect(1024);
  private final ByteBuffer large = ByteBuffer.allocateDirect(64 * 1024);
  private final CRC32C crc = new CRC32C();

  /** Creates the benchmark's state. */
  public FixedCostBenchmark() {}

  /**
   * Reads the wall clock.
   *
   * @return milliseconds since the epoch
   */
  @Benchmark
  public long currentTimeMillis() {
    return System.currentTimeMillis();
  }

  /**
   * Reads the monotonic clock.
   *
   * @return nanoseconds since some moment
   */
  @Benchmark
  public long nanoTime() {
    return System.nanoTime();
  }

  /**
   * Checksums 1 KiB.
   *
   * @return the checksum
   */
  @Benchmark
  public long crc32cOf1KiB() {
    return checksum(small);
  }

  /**
   * Checksums 64 KiB.
   *
   * @return the checksum
   */
  @Benchmark
  public long crc32cOf64KiB() {
    return checksum(large);
  }

  private long checksum(ByteBuffer buffer) {
    crc.reset();
    crc.update(buffer.position(0));
    return crc.getValue();
  }
}
