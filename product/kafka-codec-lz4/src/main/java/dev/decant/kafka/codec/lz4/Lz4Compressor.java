package dev.decant.kafka.codec.lz4;

import dev.decant.kafka.compression.BlockCompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHashFactory;

/** Writes frames as Apache's client does: independent blocks of 64 KiB, no checksum but that of the head. */
final class Lz4Compressor extends BlockCompressor {
  private static final int BLOCK_BYTES = Lz4Frame.blockBytes(Lz4Frame.SMALLEST_SIZE);
  private static final int FLAGS = Lz4Frame.VERSION | Lz4Frame.INDEPENDENT_BLOCKS;
  private static final int BLOCK_SIZE = Lz4Frame.SMALLEST_SIZE << Lz4Frame.SIZE_SHIFT;
  /** Kafka's default level, which it takes for "no level". */
  private static final int USUAL_LEVEL = 9;
  /** Levels up to this one are the fast compressor for the library's own tools too. */
  private static final int LAST_FAST_LEVEL = 2;

  private final LZ4Compressor compressor;
  private final byte headChecksum;

  Lz4Compressor(int level) {
    super(BLOCK_BYTES);
    LZ4Factory factory = LZ4Factory.fastestInstance();
    compressor = level <= LAST_FAST_LEVEL || level == USUAL_LEVEL
        ? factory.fastCompressor()
        : factory.highCompressor(level);
    byte[] head = {(byte) FLAGS, (byte) BLOCK_SIZE};
    headChecksum = (byte) (XXHashFactory.fastestInstance().hash32().hash(head, 0, head.length, 0) >> 8);
  }

  @Override
  public int mostBytes(int bytes) {
    int blocks = bytes / BLOCK_BYTES + 1;
    int perBlock = Integer.BYTES + compressor.maxCompressedLength(BLOCK_BYTES) - BLOCK_BYTES;
    return Lz4Frame.HEAD_BYTES + bytes + blocks * perBlock + Integer.BYTES;
  }

  @Override
  protected int writeHead(ByteBuffer out, int index) {
    putInt(out, index, Lz4Frame.MAGIC);
    out.put(index + 4, (byte) FLAGS);
    out.put(index + 5, (byte) BLOCK_SIZE);
    out.put(index + 6, headChecksum);
    return index + Lz4Frame.HEAD_BYTES;
  }

  @Override
  protected int writeBlock(ByteBuffer source, int from, int length, ByteBuffer out, int index) {
    int at = index + Integer.BYTES;
    int size = compressor.compress(source, from, length, out, at, compressor.maxCompressedLength(length));
    if (size >= length) {
      out.put(at, source, from, length);
      putInt(out, index, length | Lz4Frame.PLAIN_BLOCK);
      return at + length;
    }
    putInt(out, index, size);
    return at + size;
  }

  @Override
  protected int writeEnd(ByteBuffer out, int index) {
    putInt(out, index, 0);
    return index + Integer.BYTES;
  }

  private static void putInt(ByteBuffer out, int index, int value) {
    out.putInt(index, out.order() == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value));
  }

  @Override
  public void close() {
    // nothing is held but memory that the collector takes
  }
}
