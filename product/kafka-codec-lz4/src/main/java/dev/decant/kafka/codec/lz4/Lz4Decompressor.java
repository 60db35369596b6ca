package dev.decant.kafka.codec.lz4;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Reads frames, one or more, with blocks of any size and whatever checksums they have; all that are there are checked.
 * Blocks that depend on each other, and dictionaries, are refused: lz4-java cannot read them, and Apache's client does
 * not either.
 */
final class Lz4Decompressor implements Decompressor {
  /** One byte of a block stands for so many at most. */
  private static final int LARGEST_RATIO = 255;
  private static final int SMALLEST_HEAD = Lz4Frame.HEAD_BYTES - Integer.BYTES;

  private final LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();
  private final XXHash32 hash = XXHashFactory.fastestInstance().hash32();

  @Override
  public void decompress(ByteBuffer source, int from, int to, DecompressedRecords output) {
    int at = from;
    do {
      int magic = readInt(source, at, to, "the magic number of an LZ4 frame");
      if ((magic & Lz4Frame.SKIPPABLE_MASK) == Lz4Frame.SKIPPABLE_MAGIC) {
        int length = readInt(source, at + 4, to, "the length of an LZ4 frame to be skipped");
        at = skip(at + 8, length, to, "a frame to be skipped");
      } else if (magic == Lz4Frame.MAGIC) {
        at = readFrame(source, at + 4, to, output);
      } else {
        throw new MalformedBytesException("an LZ4 frame begins with " + Integer.toHexString(Lz4Frame.MAGIC)
            + ", these bytes with " + Integer.toHexString(magic));
      }
    } while (at < to);
  }

  private int readFrame(ByteBuffer source, int from, int to, DecompressedRecords output) {
    skip(from, SMALLEST_HEAD, to, "the head of the LZ4 frame");
    int flags = source.get(from);
    int largestBlock = checkedBlockBytes(flags, source.get(from + 1) & 0xff);
    int begin = output.end();
    int at = from + 2;
    long contentSize = -1;
    if ((flags & Lz4Frame.CONTENT_SIZE) != 0) {
      contentSize = (readInt(source, at, to, "the content size of the LZ4 frame") & 0xffff_ffffL)
          | ((long) readInt(source, at + 4, to, "the content size of the LZ4 frame") << 32);
      at += 8;
    }
    byte headChecksum = source.get(skip(at, 1, to, "the head checksum of the LZ4 frame") - 1);
    if (headChecksum != (byte) (hash.hash(source, from, at - from, 0) >> 8)) {
      throw new MalformedBytesException("the head of the LZ4 frame does not have its checksum");
    }
    at++;
    while (true) {
      int size = readInt(source, at, to, "the size of a block of the LZ4 frame");
      at += 4;
      if (size == 0) {
        break;
      }
      at = readBlock(source, at, to, size, largestBlock, output);
      if ((flags & Lz4Frame.BLOCK_CHECKSUM) != 0) {
        int length = size & ~Lz4Frame.PLAIN_BLOCK;
        int stated = readInt(source, at, to, "the checksum of a block of the LZ4 frame");
        checkHash(source, at - length, length, stated, "block");
        at += 4;
      }
    }
    if (contentSize >= 0 && contentSize != output.end() - begin) {
      throw new MalformedBytesException("an LZ4 frame of " + (output.end() - begin) + " bytes, stated are "
          + contentSize);
    }
    if ((flags & Lz4Frame.CONTENT_CHECKSUM) != 0) {
      checkHash(output.buffer(), begin, output.end() - begin, readInt(source, at, to, "the checksum of the LZ4 frame"),
          "content");
      at += 4;
    }
    return at;
  }

  private static int checkedBlockBytes(int flags, int blockSize) {
    if ((flags & Lz4Frame.VERSION_MASK) != Lz4Frame.VERSION || (flags & Lz4Frame.RESERVED) != 0) {
      throw new MalformedBytesException("an LZ4 frame with the unknown flags " + Integer.toHexString(flags & 0xff));
    }
    if ((flags & Lz4Frame.INDEPENDENT_BLOCKS) == 0 || (flags & Lz4Frame.DICTIONARY) != 0) {
      throw new MalformedBytesException("an LZ4 frame whose blocks depend on " + ((flags & Lz4Frame.DICTIONARY) != 0
          ? "a dictionary"
          : "each other") + ", which cannot be read: write independent blocks");
    }
    int size = blockSize >> Lz4Frame.SIZE_SHIFT;
    if ((blockSize & ~Lz4Frame.SIZE_MASK) != 0 || size < Lz4Frame.SMALLEST_SIZE) {
      throw new MalformedBytesException("an LZ4 frame with the unknown block size " + Integer.toHexString(blockSize));
    }
    return Lz4Frame.blockBytes(size);
  }

  private int readBlock(ByteBuffer source, int at, int to, int size, int largestBlock, DecompressedRecords output) {
    int length = size & ~Lz4Frame.PLAIN_BLOCK;
    int end = skip(at, length, to, "a block of the LZ4 frame");
    if (length > largestBlock) {
      throw new MalformedBytesException("a block of " + length + " bytes in an LZ4 frame whose largest is "
          + largestBlock);
    }
    if (size < 0) {
      output.makeRoom(length);
      output.buffer().put(output.end(), source, at, length);
      output.written(length);
      return end;
    }
    int most = (int) Math.min(largestBlock, (long) length * LARGEST_RATIO);
    int room = Math.min(most, output.mostRoom());
    output.makeRoom(room);
    try {
      output.written(decompressor.decompress(source, at, length, output.buffer(), output.end(), room));
    } catch (LZ4Exception e) {
      output.makeRoom(most); // the bound, if that was what the block lacked
      throw new MalformedBytesException("a block of " + length + " bytes that is no LZ4: " + e.getMessage());
    }
    return end;
  }

  private void checkHash(ByteBuffer bytes, int from, int length, int stated, String what) {
    int found = hash.hash(bytes, from, length, 0);
    if (found != stated) {
      throw new MalformedBytesException("the checksum of the LZ4 " + what + " is " + Integer.toHexString(found)
          + ", stated is " + Integer.toHexString(stated));
    }
  }

  private static int readInt(ByteBuffer source, int at, int to, String what) {
    skip(at, Integer.BYTES, to, what);
    int value = source.getInt(at);
    return source.order() == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
  }

  private static int skip(int at, int length, int to, String what) {
    if (length < 0 || length > to - at) {
      throw new MalformedBytesException(what + " has " + Integer.toUnsignedString(length) + " bytes, "
          + Math.max(0, to - at) + " remain");
    }
    return at + length;
  }

  @Override
  public void close() {
    // nothing is held
  }
}
