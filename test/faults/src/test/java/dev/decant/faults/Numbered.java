package dev.decant.faults;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A record's value that says which one it is. All its bytes follow from its fields, so that a single wrong one is
 * noticed.
 *
 * <pre>
 *   0       8        12          16         24
 *   | run   | sender | partition | sequence | filler, 0 to 1,000 bytes
 * </pre>
 *
 * @param run of the workload and its topic
 * @param sender thread that sent it, from 0
 * @param partition asked for; -1 if it was left to the producer
 * @param sequence place among all records of the sender, from 0
 */
record Numbered(long run, int sender, int partition, long sequence) {

  private static final int HEADER_BYTES = 24;
  private static final int MOST_FILLER_BYTES = 1000;

  byte[] encode() {
    Random random = new Random(run ^ (sender * 0x9E3779B97F4A7C15L + sequence));
    byte[] filler = new byte[random.nextInt(MOST_FILLER_BYTES + 1)];
    random.nextBytes(filler);
    return ByteBuffer.allocate(HEADER_BYTES + filler.length).putLong(run).putInt(sender).putInt(partition)
        .putLong(sequence).put(filler).array();
  }

  /** Null if these are not the bytes of any. */
  static @Nullable Numbered decode(byte @Nullable [] bytes) {
    if (bytes == null || bytes.length < HEADER_BYTES) {
      return null;
    }
    ByteBuffer b = ByteBuffer.wrap(bytes);
    Numbered numbered = new Numbered(b.getLong(), b.getInt(), b.getInt(), b.getLong());
    return Arrays.equals(bytes, numbered.encode()) ? numbered : null;
  }
}
