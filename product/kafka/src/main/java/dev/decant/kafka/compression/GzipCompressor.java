package dev.decant.kafka.compression;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes gzip members without names.
 *
 * <pre>
 *   0           2   3   4               8     9    10
 *   | 1f 8b     | 8 | 0 | no time       | 0   | 255 | deflated ... | CRC-32, low first | length, low first |
 *   magic    method flags          extra flags  system
 * </pre>
 */
final class GzipCompressor implements Compressor {
  static final int HEAD_BYTES = 10;
  static final int TAIL_BYTES = 8;
  static final int MAGIC_AND_METHOD = 0x1f8b_08;
  private static final byte UNKNOWN_SYSTEM = (byte) 0xff;
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final Deflater deflater;
  private final CRC32 crc = new CRC32();
  private ByteBuffer target = NOTHING;
  private int at;
  private int bytes;

  GzipCompressor(int level) {
    deflater = new Deflater(level, true);
  }

  @Override
  public int mostBytes(int length) {
    // no code of deflate's is longer than nine bits for eight; zlib itself names this bound for any settings
    return HEAD_BYTES + length + (length >> 3) + (length >> 6) + 64 + TAIL_BYTES;
  }

  @Override
  public void begin(ByteBuffer output, int index, int length) {
    deflater.reset();
    crc.reset();
    target = output;
    bytes = length;
    output.putInt(index, MAGIC_AND_METHOD << 8);
    output.putInt(index + 4, 0);
    output.put(index + 8, (byte) 0);
    output.put(index + 9, UNKNOWN_SYSTEM);
    at = index + HEAD_BYTES;
  }

  @Override
  public void add(ByteBuffer source, int from, int to) {
    int position = source.position();
    int limit = source.limit();
    crc.update(source.limit(to).position(from));
    deflater.setInput(source.position(from));
    deflate(false);
    source.limit(limit).position(position);
  }

  /** Until all input is used, or the stream has ended. */
  private void deflate(boolean toTheEnd) {
    ByteBuffer out = target;
    int position = out.position();
    int limit = out.limit();
    out.limit(out.capacity()).position(at);
    while (toTheEnd ? !deflater.finished() : !deflater.needsInput()) {
      if (deflater.deflate(out) == 0 && !out.hasRemaining()) {
        throw new IllegalStateException("there is no room for " + bytes + " bytes deflated");
      }
    }
    at = out.position();
    out.limit(limit).position(position);
  }

  @Override
  public int finish() {
    deflater.setInput(NOTHING);
    deflater.finish();
    deflate(true);
    boolean lowFirst = target.order() == ByteOrder.LITTLE_ENDIAN;
    int sum = (int) crc.getValue();
    target.putInt(at, lowFirst ? sum : Integer.reverseBytes(sum));
    target.putInt(at + 4, lowFirst ? bytes : Integer.reverseBytes(bytes));
    at += TAIL_BYTES;
    return at;
  }

  @Override
  public void close() {
    deflater.end();
  }
}
