package dev.decant.fix.log;

import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Encodes text of the engine into the ring. */
final class EventText {
  private EventText() {}

  /**
   * Returns how many bytes a character takes: UTF-8, except that the halves of a surrogate pair are encoded one by one.
   */
  static int bytes(char c) {
    return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  }

  /** Writes as many whole characters as fit. Returns the index after them. */
  static int put(String text, ByteBuffer buffer, int from, int limit) {
    int at = from;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int bytes = bytes(c);
      if (bytes > limit - at) {
        return at;
      }
      switch (bytes) {
        case 1 -> buffer.put(at, (byte) c);
        case 2 -> {
          buffer.put(at, (byte) (0xC0 | (c >> 6)));
          buffer.put(at + 1, (byte) (0x80 | (c & 0x3F)));
        }
        default -> {
          buffer.put(at, (byte) (0xE0 | (c >> 12)));
          buffer.put(at + 1, (byte) (0x80 | ((c >> 6) & 0x3F)));
          buffer.put(at + 2, (byte) (0x80 | (c & 0x3F)));
        }
      }
      at += bytes;
    }
    return at;
  }

  /** Returns the name of a session as one word of a line. */
  static byte[] name(SessionId session, int longest) {
    byte[] name = session.toString().replace("\\", "\\\\").replace(" ", "\\x20").getBytes(StandardCharsets.US_ASCII);
    return name.length > longest ? Arrays.copyOf(name, longest) : name;
  }
}
