package dev.decant.kafka.codec.snappy;

import dev.decant.kafka.compression.BlockCompressor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;

/** Writes streams as snappy-java does, in blocks of 32 KiB. */
final class SnappyCompressor extends BlockCompressor {
  SnappyCompressor() {
    super(SnappyFrame.BLOCK_BYTES);
    Snappy.maxCompressedLength(0); // loads the library: if that fails, then now
  }

  @Override
  public int mostBytes(int bytes) {
    int blocks = bytes / SnappyFrame.BLOCK_BYTES + 1;
    int perBlock = Integer.BYTES + Snappy.maxCompressedLength(SnappyFrame.BLOCK_BYTES) - SnappyFrame.BLOCK_BYTES;
    return SnappyFrame.HEAD_BYTES + bytes + blocks * perBlock;
  }

  @Override
  protected int writeHead(ByteBuffer out, int index) {
    out.putLong(index, SnappyFrame.MAGIC);
    out.putInt(index + 8, SnappyFrame.VERSION);
    out.putInt(index + 12, SnappyFrame.VERSION);
    return index + SnappyFrame.HEAD_BYTES;
  }

  @Override
  protected int writeBlock(ByteBuffer source, int from, int length, ByteBuffer out, int index) {
    int position = source.position();
    int limit = source.limit();
    int outPosition = out.position();
    int outLimit = out.limit();
    int at = index + Integer.BYTES;
    try {
      int size = Snappy.compress(source.limit(from + length).position(from), out.limit(out.capacity()).position(at));
      out.limit(outLimit).position(outPosition);
      out.putInt(index, size);
      return at + size;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      source.limit(limit).position(position);
    }
  }

  @Override
  protected int writeEnd(ByteBuffer out, int index) {
    return index;
  }

  @Override
  public void close() {
    // nothing is held but memory that the collector takes
  }
}
