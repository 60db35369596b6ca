package dev.decant.jmh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * What kind of direct memory batches should live in: appends and decodes a record with a value of 100 bytes, laid out
 * as in a record batch v2, byte by byte where the format has varints.
 *
 * <p>
 * Run it, after {@code mvn package -pl test/jmh -am}, with the module's class path:
 *
 * <pre>
 * mvn -q dependency:build-classpath -Dmdep.outputFile=target/jmh.cp -pl test/jmh
 * java -cp test/jmh/target/classes:$(cat test/jmh/target/jmh.cp) org.openjdk.jmh.Main BufferAccessBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class BufferAccessBenchmark {
  private static final int CAPACITY = 16 * 1024;
  private static final int VALUE_BYTES = 100;
  private static final int RECORD_BYTES = 109;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** Where the bytes live, and through what they are accessed. */
  public enum Memory {
    /** {@link ByteBuffer#allocateDirect}. */
    DIRECT_BUFFER,
    /** A {@link ByteBuffer} view of a segment of {@link Arena#ofShared()}. */
    SHARED_ARENA_BUFFER,
    /** A {@link MemorySegment} of {@link Arena#ofShared()}. */
    SHARED_ARENA_SEGMENT,
    /** A {@link MemorySegment} of {@link Arena#global()}. */
    GLOBAL_ARENA_SEGMENT
  }

  /** The kind that is measured. */
  @Param
  public Memory memory = Memory.DIRECT_BUFFER;

  private final byte[] value = new byte[VALUE_BYTES];
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private MemorySegment segment = MemorySegment.NULL;
  private boolean throughBuffer;
  private int position;

  /** Creates the benchmark's state. */
  public BufferAccessBenchmark() {}

  /** Allocates the memory and fills it with records. */
  @Setup
  public void allocate() {
    throughBuffer = memory == Memory.DIRECT_BUFFER || memory == Memory.SHARED_ARENA_BUFFER;
    switch (memory) {
      case DIRECT_BUFFER -> buffer = ByteBuffer.allocateDirect(CAPACITY);
      case SHARED_ARENA_BUFFER -> buffer = Arena.ofShared().allocate(CAPACITY).asByteBuffer();
      case SHARED_ARENA_SEGMENT -> segment = Arena.ofShared().allocate(CAPACITY);
      case GLOBAL_ARENA_SEGMENT -> segment = Arena.global().allocate(CAPACITY);
    }
    for (int i = 0; i < CAPACITY / RECORD_BYTES; i++) {
      append();
    }
    position = 0;
  }

  /**
   * Appends one record.
   *
   * @return the position after it
   */
  @Benchmark
  public int append() {
    int at = position;
    if (at > CAPACITY - RECORD_BYTES) {
      at = 0;
    }
    int end = throughBuffer ? appendTo(buffer, at) : appendTo(segment, at);
    position = end;
    return end;
  }

  /**
   * Decodes one record's fields and the first four bytes of its value.
   *
   * @return their sum
   */
  @Benchmark
  public int decode() {
    int at = position;
    if (at > CAPACITY - RECORD_BYTES) {
      at = 0;
    }
    position = at + RECORD_BYTES;
    return throughBuffer ? decodeFrom(buffer, at) : decodeFrom(segment, at);
  }

  private int appendTo(ByteBuffer b, int at) {
    b.put(at, (byte) (((RECORD_BYTES - 2) << 1) | 0x80));
    b.put(at + 1, (byte) ((RECORD_BYTES - 2) >>> 6));
    b.put(at + 2, (byte) 0);
    b.put(at + 3, (byte) 2);
    b.put(at + 4, (byte) 4);
    b.put(at + 5, (byte) 1);
    b.put(at + 6, (byte) ((VALUE_BYTES << 1) | 0x80));
    b.put(at + 7, (byte) (VALUE_BYTES >>> 6));
    b.put(at + 8, value, 0, VALUE_BYTES);
    b.put(at + 8 + VALUE_BYTES, (byte) 0);
    return at + RECORD_BYTES;
  }

  private int appendTo(MemorySegment s, int at) {
    s.set(ValueLayout.JAVA_BYTE, at, (byte) (((RECORD_BYTES - 2) << 1) | 0x80));
    s.set(ValueLayout.JAVA_BYTE, at + 1L, (byte) ((RECORD_BYTES - 2) >>> 6));
    s.set(ValueLayout.JAVA_BYTE, at + 2L, (byte) 0);
    s.set(ValueLayout.JAVA_BYTE, at + 3L, (byte) 2);
    s.set(ValueLayout.JAVA_BYTE, at + 4L, (byte) 4);
    s.set(ValueLayout.JAVA_BYTE, at + 5L, (byte) 1);
    s.set(ValueLayout.JAVA_BYTE, at + 6L, (byte) ((VALUE_BYTES << 1) | 0x80));
    s.set(ValueLayout.JAVA_BYTE, at + 7L, (byte) (VALUE_BYTES >>> 6));
    MemorySegment.copy(value, 0, s, ValueLayout.JAVA_BYTE, at + 8L, VALUE_BYTES);
    s.set(ValueLayout.JAVA_BYTE, at + 8L + VALUE_BYTES, (byte) 0);
    return at + RECORD_BYTES;
  }

  private static int decodeFrom(ByteBuffer b, int at) {
    int sum = 0;
    int p = at;
    for (int field = 0; field < 6; field++) { // length, attributes, timestamp, offset, key and value length
      int shift = 0;
      int v = 0;
      byte octet;
      do {
        octet = b.get(p++);
        v |= (octet & 0x7F) << shift;
        shift += 7;
      } while (octet < 0);
      sum += v;
    }
    return sum + b.getInt(p) + b.get(p + VALUE_BYTES);
  }

  private static int decodeFrom(MemorySegment s, int at) {
    int sum = 0;
    int p = at;
    for (int field = 0; field < 6; field++) {
      int shift = 0;
      int v = 0;
      byte octet;
      do {
        octet = s.get(ValueLayout.JAVA_BYTE, p++);
        v |= (octet & 0x7F) << shift;
        shift += 7;
      } while (octet < 0);
      sum += v;
    }
    return sum + s.get(INT, p) + s.get(ValueLayout.JAVA_BYTE, p + (long) VALUE_BYTES);
  }
}
