package dev.decant.fix.message;

import java.nio.ByteBuffer;

/** Computes the sum of all bytes before CheckSum(10), modulo 256. */
public final class CheckSum {
  private static final long EVEN_BYTES = 0x00FF_00FF_00FF_00FFL;
  /** How many words are added before a 16-bit lane could overflow: 2 * 255 * 128 is less than 65,536. */
  private static final int WORDS_PER_BLOCK = 128;

  private CheckSum() {}

  /**
   * Adds bytes.
   *
   * @param bytes the buffer
   * @param from index of the first
   * @param to index after the last
   * @return 0 to 255
   */
  public static int of(ByteBuffer bytes, int from, int to) {
    long sum = 0;
    int p = from;
    while (to - p >= Long.BYTES) {
      int blockEnd = p + Math.min(WORDS_PER_BLOCK, (to - p) >> 3) * Long.BYTES;
      long lanes = 0; // Four sums of 16 bits.
      for (; p < blockEnd; p += Long.BYTES) {
        long word = bytes.getLong(p);
        lanes += (word & EVEN_BYTES) + (word >>> 8 & EVEN_BYTES);
      }
      sum += (lanes & 0xFFFF) + (lanes >>> 16 & 0xFFFF) + (lanes >>> 32 & 0xFFFF) + (lanes >>> 48);
    }
    for (; p < to; p++) {
      sum += bytes.get(p) & 0xFF;
    }
    return (int) (sum & 0xFF);
  }
}
