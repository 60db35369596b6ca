package dev.decant.lab.fix;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The bytes of a FIX message, as a terminal shows them. */
public final class MessageText {
  private static final byte SOH = 1;

  private MessageText() {}

  /**
   * One line: {@code |} for SOH, and {@code \xNN} for what no terminal should get.
   *
   * @param message from position to limit, which stay
   * @param keepsSoh whether SOH stays
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
   * The bytes of a line of a file.
   *
   * @param message the message
   * @param keepsSoh whether all bytes stay as they are
   * @return the bytes, without a line feed
   */
  public static byte[] exported(byte[] message, boolean keepsSoh) {
    return keepsSoh ? message : of(ByteBuffer.wrap(message), false).getBytes(StandardCharsets.US_ASCII);
  }
}
