package dev.decant.kafka.compression;

import dev.decant.buffer.MalformedBytesException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Reads gzip members, one or more (RFC 1952, 2.2), whatever optional fields their heads have, and checks length and
 * CRC-32 of each.
 */
final class GzipDecompressor implements Decompressor {
  private static final int HEAD_CHECKSUM = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int KNOWN_FLAGS = 31;
  private static final int FLAGS_AT = 3;

  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32();

  @Override
  public void decompress(ByteBuffer source, int from, int to, DecompressedRecords output) {
    int position = source.position();
    int limit = source.limit();
    try {
      int at = from;
      do {
        at = readMember(source, skipHead(source, at, to), to, output);
      } while (at < to);
    } finally {
      source.limit(limit).position(position);
    }
  }

  private static int skipHead(ByteBuffer source, int from, int to) {
    require(source, from, GzipCompressor.HEAD_BYTES, to, "head");
    int magic = bigEndian(source, from) >>> 8;
    if (magic != GzipCompressor.MAGIC_AND_METHOD) {
      throw new MalformedBytesException("gzip begins with 1f8b08, these bytes with " + Integer.toHexString(magic));
    }
    int flags = source.get(from + FLAGS_AT);
    if ((flags & ~KNOWN_FLAGS) != 0) {
      throw new MalformedBytesException("a gzip head with the unknown flags " + Integer.toHexString(flags & 0xff));
    }
    int at = from + GzipCompressor.HEAD_BYTES;
    if ((flags & EXTRA) != 0) {
      require(source, at, 2, to, "length of the extra field");
      int length = (source.get(at) & 0xff) | ((source.get(at + 1) & 0xff) << 8);
      require(source, at + 2, length, to, "extra field");
      at += 2 + length;
    }
    at = (flags & NAME) == 0 ? at : skipText(source, at, to);
    at = (flags & COMMENT) == 0 ? at : skipText(source, at, to);
    return (flags & HEAD_CHECKSUM) == 0 ? at : at + 2;
  }

  private static int skipText(ByteBuffer source, int from, int to) {
    for (int at = from; at < to; at++) {
      if (source.get(at) == 0) {
        return at + 1;
      }
    }
    throw new MalformedBytesException("a text in the gzip head at " + from + " does not end");
  }

  /** Inflates a member and checks what its tail says. */
  private int readMember(ByteBuffer source, int from, int to, DecompressedRecords output) {
    require(source, from, GzipCompressor.TAIL_BYTES, to, "deflated bytes");
    int begin = output.end();
    inflater.reset();
    inflater.setInput(source.limit(to).position(from));
    while (!inflater.finished()) {
      output.makeRoom(Math.min(1, output.mostRoom())); // when all are there the end is still to be read
      inflateSome(output);
    }
    int at = source.position();
    require(source, at, GzipCompressor.TAIL_BYTES, to, "tail");
    ByteBuffer inflated = output.buffer();
    crc.reset();
    crc.update(inflated.limit(output.end()).position(begin));
    inflated.clear();
    int stated = Integer.reverseBytes(bigEndian(source, at));
    if (stated != (int) crc.getValue()) {
      throw new MalformedBytesException("the CRC-32 of the gzip member is " + Long.toHexString(crc.getValue())
          + ", stated is " + Integer.toHexString(stated));
    }
    int length = Integer.reverseBytes(bigEndian(source, at + 4));
    if (length != output.end() - begin) {
      throw new MalformedBytesException("a gzip member of " + (output.end() - begin) + " bytes, stated are " + length);
    }
    return at + GzipCompressor.TAIL_BYTES;
  }

  private void inflateSome(DecompressedRecords output) {
    ByteBuffer into = output.buffer();
    try {
      int count = inflater.inflate(into.limit(into.capacity()).position(output.end()));
      output.written(count);
      if (count == 0 && !inflater.finished()) {
        output.makeRoom(into.hasRemaining() ? 0 : 1);
        throw new MalformedBytesException(inflater.needsDictionary()
            ? "a gzip member that needs a dictionary"
            : "the gzip member does not end");
      }
    } catch (DataFormatException e) {
      throw new MalformedBytesException("deflated bytes that are none: " + e.getMessage());
    } finally {
      into.clear();
    }
  }

  private static void require(ByteBuffer source, int at, int bytes, int to, String what) {
    if (bytes > to - at) {
      throw new MalformedBytesException("the " + what + " of a gzip member needs " + bytes + " bytes, "
          + Math.max(0, to - at) + " remain of " + source.capacity());
    }
  }

  private static int bigEndian(ByteBuffer source, int at) {
    return (source.get(at) << 24) | ((source.get(at + 1) & 0xff) << 16) | ((source.get(at + 2) & 0xff) << 8)
        | (source.get(at + 3) & 0xff);
  }

  @Override
  public void close() {
    inflater.end();
  }
}
