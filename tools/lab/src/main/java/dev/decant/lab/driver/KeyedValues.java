package dev.decant.lab.driver;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Records with keys, for handlers. The seed decides the key of each record. The value names the record:
 *
 * <pre>
 *   0          4          8                16
 *   +----------+----------+----------------+-----------+
 *   | key      | number   | intended nanos | 0 ...     |
 *   +----------+----------+----------------+-----------+
 * </pre>
 *
 * The number counts the topic's records from 0. The intended time is 0 without a rate. One thread at a time.
 */
final class KeyedValues {
  /** The least length of a value. */
  static final int BYTES = 16;
  private static final int PERCENT = 100;

  private final byte[][] keys;
  private final int hotPercent;
  private final int sizeBytes;
  private final SplittableRandom random;
  private int number;

  KeyedValues(WorkSpec.Load load) {
    keys = new byte[load.keys().count()][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = String.format(Locale.ROOT, "key-%06d", i).getBytes(StandardCharsets.US_ASCII);
    }
    hotPercent = load.keys().hotPercent();
    sizeBytes = Math.max(BYTES, load.recordSizeBytes());
    random = new SplittableRandom(load.seed());
  }

  /** Returns the index of the next record's key; the hot key has index 0. */
  int nextKey() {
    return hotPercent > 0 && random.nextInt(PERCENT) < hotPercent ? 0 : random.nextInt(keys.length);
  }

  byte[] bytesOf(int key) {
    return keys[key];
  }

  /** Returns the value of the next record: a new array each time, since a client may still be reading the last one. */
  byte[] nextValue(int key, long intendedNanos) {
    byte[] value = new byte[sizeBytes];
    ByteBuffer.wrap(value).putInt(key).putInt(number++).putLong(intendedNanos);
    return value;
  }
}
