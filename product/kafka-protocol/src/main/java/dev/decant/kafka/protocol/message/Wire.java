package dev.decant.kafka.protocol.message;

import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.UnsupportedVersionException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Helpers of the generated messages: values whose form depends on whether the version is flexible, and tagged fields.
 */
final class Wire {
  /** The default of a bytes field. */
  static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);

  private static final int MAX_UINT16 = 0xFFFF;
  /** Least bytes of a tagged field: one for its tag, one for its size. */
  private static final int MIN_TAGGED_FIELD_BYTES = 2;

  private Wire() {}

  static void checkVersion(String message, short version, short lowest, short highest) {
    if (version < lowest || version > highest) {
      throw new UnsupportedVersionException(
          message + " has versions " + lowest + " to " + highest + ", not " + version);
    }
  }

  static UnsupportedVersionException unsupportedField(String field, short version) {
    return new UnsupportedVersionException(field + " is set, but version " + version + " does not have it");
  }

  static UnsupportedVersionException nullField(String field, short version) {
    return new UnsupportedVersionException(field + " is null, which version " + version + " does not allow");
  }

  static MalformedBytesException malformedNull(String field, short version) {
    return new MalformedBytesException(field + " is null, which version " + version + " does not allow");
  }

  static int requireUint16(int v, String field) {
    if (v < 0 || v > MAX_UINT16) {
      throw new IllegalArgumentException(field + " " + v + " is not in 0.." + MAX_UINT16);
    }
    return v;
  }

  static void writeString(ProtocolWriter out, String v, boolean flexible) {
    if (flexible) {
      out.writeCompactString(v);
    } else {
      out.writeString(v);
    }
  }

  static void writeNullableString(ProtocolWriter out, @Nullable String v, boolean flexible) {
    if (flexible) {
      out.writeCompactNullableString(v);
    } else {
      out.writeNullableString(v);
    }
  }

  static String readString(ProtocolReader in, boolean flexible) {
    return flexible ? in.readCompactString() : in.readString();
  }

  static @Nullable String readNullableString(ProtocolReader in, boolean flexible) {
    return flexible ? in.readCompactNullableString() : in.readNullableString();
  }

  static void writeBytes(ProtocolWriter out, ByteBuffer v, boolean flexible) {
    writeArrayLength(out, v.remaining(), flexible);
    out.writeBytes(v);
  }

  static void writeNullableBytes(ProtocolWriter out, @Nullable ByteBuffer v, boolean flexible) {
    if (v == null) {
      writeArrayLength(out, -1, flexible);
    } else {
      writeBytes(out, v, flexible);
    }
  }

  static ByteBuffer readBytes(ProtocolReader in, boolean flexible) {
    ByteBuffer v = readNullableBytes(in, flexible);
    if (v == null) {
      throw new MalformedBytesException("null in place of bytes before " + in.position());
    }
    return v;
  }

  static @Nullable ByteBuffer readNullableBytes(ProtocolReader in, boolean flexible) {
    return flexible ? in.readCompactNullableBytes() : in.readNullableBytes();
  }

  /** Writes a count of elements or bytes, or -1 for null. */
  static void writeArrayLength(ProtocolWriter out, int count, boolean flexible) {
    if (flexible) {
      out.writeUnsignedVarint(count + 1);
    } else {
      out.writeInt(count);
    }
  }

  static int readArrayLength(ProtocolReader in, int minPlainBytes, int minFlexibleBytes, boolean flexible) {
    return flexible ? in.readCompactArrayLength(minFlexibleBytes) : in.readArrayLength(minPlainBytes);
  }

  /**
   * Begins a tagged field of unknown size. Most fields are so small that one byte is enough for the size. Returns the
   * index of the size, for {@link #endTag}.
   */
  static int beginTag(ProtocolWriter out, int tag) {
    out.writeUnsignedVarint(tag);
    out.writeByte(0);
    return out.position() - 1;
  }

  /** Writes the size in front of a tagged field, and moves the field if the size takes more than one byte. */
  static void endTag(ProtocolWriter out, int start) {
    int end = out.position();
    int size = end - start - 1;
    int more = BytesWriter.sizeOfUnsignedVarint(size) - 1;
    for (int i = 0; i < more; i++) {
      out.writeByte(0);
    }
    if (more > 0) {
      ByteBuffer buffer = out.buffer();
      buffer.put(start + 1 + more, buffer, start + 1, size);
    }
    out.position(start);
    out.writeUnsignedVarint(size);
    out.position(end + more);
  }

  static int readTagCount(ProtocolReader in) {
    int count = in.readUnsignedVarint();
    if (count < 0 || (long) count * MIN_TAGGED_FIELD_BYTES > in.remaining()) {
      throw new MalformedBytesException(Integer.toUnsignedString(count) + " tagged fields announced, " + in.remaining()
          + " bytes remain");
    }
    return count;
  }

  /** Returns the end of a tagged field that begins here. */
  static int tagEnd(ProtocolReader in, int size) {
    if (size < 0 || size > in.remaining()) {
      throw new MalformedBytesException("a tagged field of " + Integer.toUnsignedString(size) + " bytes announced, "
          + in.remaining() + " remain");
    }
    return in.position() + size;
  }

  static void requireEnd(ProtocolReader in, int end, String field) {
    if (in.position() != end) {
      throw new MalformedBytesException(field + " ends at " + in.position() + ", its size says " + end);
    }
  }

  /** Describes bytes for a log: their number, but not their content. */
  static String describe(@Nullable ByteBuffer v) {
    return v == null ? "null" : v.remaining() + " bytes";
  }

  /** Describes a possible secret for a log: only whether it is set. */
  static String hide(@Nullable String v) {
    return v == null ? "null" : "(hidden)";
  }
}
