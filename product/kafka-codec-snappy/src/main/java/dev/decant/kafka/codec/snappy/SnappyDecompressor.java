package dev.decant.kafka.codec.snappy;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;

/**
 * Reads streams in snappy-java's framing with blocks of any size, and a single block without framing. A stream has no
 * end mark: the count of records finds a stream that was cut between blocks.
 */
final class SnappyDecompressor implements Decompressor {
  /** The element that stands for most, a copy of 64 bytes, has three; its length and others make it less. */
  private static final int LARGEST_RATIO = 22;

  SnappyDecompressor() {
    Snappy.maxCompressedLength(0); // loads the library: if that fails, then now
  }

  @Override
  public void decompress(ByteBuffer source, int from, int to, DecompressedRecords output) {
    if (to - from < SnappyFrame.HEAD_BYTES || source.getLong(from) != SnappyFrame.MAGIC) {
      readBlock(source, from, to, output);
      return;
    }
    int at = from;
    while (at < to) {
      int length = to - at < Integer.BYTES ? -1 : source.getInt(at);
      if (length == SnappyFrame.MAGIC_BEGIN) {
        at = skipHead(source, at, to);
        continue;
      }
      at += Integer.BYTES;
      if (length <= 0 || length > to - at) {
        throw new MalformedBytesException("a snappy block of " + length + " bytes, " + Math.max(0, to - at)
            + " remain");
      }
      readBlock(source, at, at + length, output);
      at += length;
    }
  }

  private static int skipHead(ByteBuffer source, int at, int to) {
    if (to - at < SnappyFrame.HEAD_BYTES || source.getLong(at) != SnappyFrame.MAGIC) {
      throw new MalformedBytesException("the head of a snappy stream is damaged, or cut to " + (to - at) + " bytes");
    }
    int needed = source.getInt(at + 12);
    if (needed > SnappyFrame.VERSION) {
      throw new MalformedBytesException("a snappy stream that needs version " + needed + " of its reader");
    }
    return at + SnappyFrame.HEAD_BYTES;
  }

  private static void readBlock(ByteBuffer source, int from, int to, DecompressedRecords output) {
    long length = statedBytes(source, from, to);
    if (length > (long) (to - from) * LARGEST_RATIO) {
      throw new MalformedBytesException("a snappy block of " + (to - from) + " bytes cannot stand for " + length);
    }
    output.makeRoom(length);
    ByteBuffer into = output.buffer();
    int position = source.position();
    int limit = source.limit();
    try {
      into.limit(into.capacity()).position(output.end());
      int written = Snappy.uncompress(source.limit(to).position(from), into);
      if (written != length) {
        throw new MalformedBytesException("a snappy block of " + written + " bytes, stated are " + length);
      }
      output.written(written);
    } catch (IOException | SnappyError e) {
      throw new MalformedBytesException("a block of " + (to - from) + " bytes that is no snappy: " + e.getMessage());
    } finally {
      into.clear();
      source.limit(limit).position(position);
    }
  }

  /** What the block says of itself; unsigned, in five bytes at most. */
  private static long statedBytes(ByteBuffer source, int from, int to) {
    long bytes = 0;
    for (int i = 0; i < 5 && from + i < to; i++) {
      int octet = source.get(from + i);
      bytes |= (octet & 0x7fL) << (7 * i);
      if (octet >= 0) {
        return bytes;
      }
    }
    throw new MalformedBytesException("the length of a snappy block does not end");
  }

  @Override
  public void close() {
    // nothing is held
  }
}
