package dev.decant.lab.fix;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The bytes of a FIX message as text for a terminal. */
public final class MessageText {
  private static final byte SOH = 1;

  private MessageText() {}

  /**
   * Returns a message on one line: {@code |} for SOH, and {@code \xNN} for bytes that a terminal must not get.
   *
   * @param message message from position to limit, which stay
   * @param keepsSoh true to keep SOH
   * @return the text
   */
  public static String of(ByteBuffer message, boolean keepsSoh) {
    StringBuilder text = new StringBuilder(message.remaining());
    for (int i = message.position(); i < message.limit(); i++) {
      byte b = message.get(i);
      if (b == SOH) {
        text.append(keepsSoh ? (char) SOH : '|');
      } else if (b >= ' ' && b <= '~') {
        text.append((char) b);
      } else {
        text.append("\\x").append(HexFormat.of().withUpperCase().toHexDigits(b));
      }
    }
    return text.toString();
  }

  /**
   * Returns the bytes for a line of a file.
   *
   * @param message the message
   * @param keepsSoh true to keep all bytes as they are
   * @return the bytes, without a line feed
   */
  public static byte[] exported(byte[] message, boolean keepsSoh) {
    return keepsSoh ? message : of(ByteBuffer.wrap(message), false).getBytes(StandardCharsets.US_ASCII);
  }
}
