package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.MalformedBytesException;
import java.util.UUID;

/** Text in UTF-8, and what is written as text. */
final class TextSerdes {
  static final Serde<String> STRING = new Serde<>() {
    @Override
    public void encode(String value, BytesWriter out) {
      out.writeUtf8(value);
    }

    @Override
    public String decode(BytesReader in) {
      return in.readUtf8(in.remaining());
    }
  };

  /** The 36 characters of a UUID, as Apache's serializer writes them. */
  static final Serde<UUID> UUID_TEXT = new Serde<>() {
    private static final String HEX = "0123456789abcdef";
    private static final int LENGTH = 36;

    @Override
    public void encode(UUID value, BytesWriter out) {
      hex(value.getMostSignificantBits(), 64, 32, out);
      out.writeByte('-');
      hex(value.getMostSignificantBits(), 32, 16, out);
      out.writeByte('-');
      hex(value.getMostSignificantBits(), 16, 0, out);
      out.writeByte('-');
      hex(value.getLeastSignificantBits(), 64, 48, out);
      out.writeByte('-');
      hex(value.getLeastSignificantBits(), 48, 0, out);
    }

    private void hex(long bits, int from, int to, BytesWriter out) {
      for (int shift = from - 4; shift >= to; shift -= 4) {
        out.writeByte(HEX.charAt((int) (bits >>> shift) & 0xf));
      }
    }

    @Override
    public UUID decode(BytesReader in) {
      String text = in.readUtf8(in.remaining());
      try {
        if (text.length() == LENGTH) {
          return UUID.fromString(text);
        }
      } catch (IllegalArgumentException e) {
        throw new MalformedBytesException("\"" + text + "\" is no UUID");
      }
      throw new MalformedBytesException("a UUID has " + LENGTH + " characters, here are " + text.length());
    }
  };

  private TextSerdes() {}
}
