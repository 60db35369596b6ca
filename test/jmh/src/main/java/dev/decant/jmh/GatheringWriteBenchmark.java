package dev.decant.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a gathering write allocates: four buffers of 256 bytes go through a pipe. Run as {@link BufferAccessBenchmark}
 * says, with {@code -prof gc}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class GatheringWriteBenchmark {
  private static final int BUFFERS = 4;
  private static final int BYTES = 256;

  /** Whether the buffers belong to a shared arena instead of being plain direct buffers. */
  @Param({"false", "true"})
  public boolean arena;

  private final ByteBuffer[] source = new ByteBuffer[BUFFERS];
  private final ByteBuffer target = ByteBuffer.allocateDirect(BUFFERS * BYTES);
  private final Pipe pipe;

  /** Opens the pipe. */
  public GatheringWriteBenchmark() {
    try {
      pipe = Pipe.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Allocates what is written. */
  @Setup
  public void allocate() {
    for (int i = 0; i < BUFFERS; i++) {
      source[i] = arena ? Arena.ofShared().allocate(BYTES).asByteBuffer() : ByteBuffer.allocateDirect(BYTES);
    }
  }

  /**
   * Closes the pipe.
   *
   * @throws IOException if that fails
   */
  @TearDown
  public void close() throws IOException {
    pipe.sink().close();
    pipe.source().close();
  }

  /**
   * Writes all buffers with one call and reads them back.
   *
   * @return bytes written
   * @throws IOException if the pipe fails
   */
  @Benchmark
  public long writeAndRead() throws IOException {
    for (ByteBuffer buffer : source) {
      buffer.clear();
    }
    long written = pipe.sink().write(source);
    long read = 0;
    while (read < written) {
      read += pipe.source().read(target.clear());
    }
    return written;
  }
}
