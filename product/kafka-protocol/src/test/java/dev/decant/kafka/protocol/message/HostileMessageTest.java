package dev.decant.kafka.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.protocol.ProtocolReader;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile bytes: each message is read or is malformed, and its memory is bounded by the bytes that have arrived. */
@Timeout(60)
class HostileMessageTest {
  private static final int FLIPS = 30;
  private static final int LIES = 30;
  /** Most memory per message: an exception has a stack trace. Most memory per received byte: no object for each. */
  private static final long BYTES_PER_READ = 64 << 10;
  private static final long BYTES_PER_BYTE = 400;

  private final long seed = Long.getLong("decant.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);
  private final Dialect ours = new OurDialect();
  private final ProtocolReader reader = new ProtocolReader();
  private long lastAllocated;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  static List<Schema> schemas() {
    return Schema.all();
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void aMessageThatEndsEarlyIsMalformed(Schema schema) throws ReflectiveOperationException {
    for (short version : schema.versions()) {
      byte[] whole = ours.write(ours.make(schema, schema.random(random, version)), version);
      for (int length = 0; length < whole.length; length++) {
        boolean wasRead = read(schema, Arrays.copyOf(whole, length), version);
        assertThat(wasRead).as("%s v%s, %s of %s bytes, seed %s", schema, version, length, whole.length, seed)
            .isFalse();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void flippedBitsAreReadOrMalformed(Schema schema) throws ReflectiveOperationException {
    for (short version : schema.versions()) {
      byte[] whole = ours.write(ours.make(schema, schema.random(random, version)), version);
      for (int i = 0; i < FLIPS && whole.length > 0; i++) {
        byte[] flipped = whole.clone();
        for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
          flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
        }
        read(schema, flipped, version);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void lyingCountsAreReadOrMalformed(Schema schema) throws ReflectiveOperationException {
    byte[][] lies = {{0x7F, -1, -1, -1}, {-1, -1, -1, -1}, {-128, 0, 0, 0}, {-1, -1, -1, -1, 0x07},
        {-1, -1, -1, -1, 0x0F},
        {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, {0x7F}, {-1, 0x7F}, {0, 0, 0x40, 0}, {0, 0, 0, 0, 0, 0, 0, 0}};
    for (short version : schema.versions()) {
      byte[] whole = ours.write(ours.make(schema, schema.random(random, version)), version);
      for (int i = 0; i < LIES && whole.length > 0; i++) {
        byte[] lying = whole.clone();
        byte[] lie = lies[random.nextInt(lies.length)];
        int at = random.nextInt(lying.length);
        System.arraycopy(lie, 0, lying, at, Math.min(lie.length, lying.length - at));
        read(schema, lying, version);
      }
    }
  }

  /**
   * Reads bytes as a message; returns false if they are malformed. Another exception, or too much memory, fails the
   * test.
   */
  private boolean read(Schema schema, byte[] bytes, short version) throws ReflectiveOperationException {
    String what = schema + " v" + version + ", seed " + seed + ": " + Arrays.toString(bytes);
    long bound = BYTES_PER_READ + BYTES_PER_BYTE * bytes.length;
    boolean wasRead = tryRead(schema, bytes, version, what);
    if (lastAllocated > bound) { // the first time it loads classes
      tryRead(schema, bytes, version, what);
    }
    assertThat(lastAllocated).as(what).isLessThan(bound);
    return wasRead;
  }

  private boolean tryRead(Schema schema, byte[] bytes, short version, String what) throws ReflectiveOperationException {
    Method read = ours.bodyClass(schema).getMethod("read", ProtocolReader.class, short.class);
    reader.wrap(ByteBuffer.wrap(bytes), 0, bytes.length);
    RuntimeException thrown = null;
    long before = threads.getCurrentThreadAllocatedBytes();
    try {
      Dialect.invoke(read, null, reader, version);
    } catch (RuntimeException e) {
      thrown = e;
    }
    lastAllocated = threads.getCurrentThreadAllocatedBytes() - before;
    if (thrown != null && !(thrown instanceof MalformedBytesException)) {
      throw new AssertionError(what, thrown);
    }
    return thrown == null;
  }
}
