package dev.decant.fix.message;

import java.nio.ByteBuffer;

/**
 * MsgType(35) as a number, for comparisons without a String. The characters take one byte each, the first one is the
 * highest.
 *
 * <pre>
 *   "D"  -> 0x00000044        "AE" -> 0x00004145
 * </pre>
 */
public final class MsgType {
  /** Heartbeat. */
  public static final int HEARTBEAT = '0';
  /** TestRequest. */
  public static final int TEST_REQUEST = '1';
  /** ResendRequest. */
  public static final int RESEND_REQUEST = '2';
  /** Reject. */
  public static final int REJECT = '3';
  /** SequenceReset. */
  public static final int SEQUENCE_RESET = '4';
  /** Logout. */
  public static final int LOGOUT = '5';
  /** Logon. */
  public static final int LOGON = 'A';
  /** BusinessMessageReject. */
  public static final int BUSINESS_MESSAGE_REJECT = 'j';

  private static final int MAX_CHARACTERS = 4;

  private MsgType() {}

  /**
   * Returns the number of a type.
   *
   * @param text one to four characters of one byte each
   * @return the number
   * @throws IllegalArgumentException for any other text
   */
  public static int key(CharSequence text) {
    int key = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (i == MAX_CHARACTERS || c <= ' ' || c > '~') {
        throw new IllegalArgumentException("'" + text + "' is no MsgType: 1 to 4 printable characters are wanted");
      }
      key = key << 8 | c;
    }
    if (key == 0) {
      throw new IllegalArgumentException("the MsgType is empty");
    }
    return key;
  }

  /**
   * Returns the number of a received type.
   *
   * @param bytes the buffer
   * @param from index of its first character
   * @param to index after its last one
   * @return the number; 0 if it has no or more than four characters, or one that is not printable
   */
  public static int key(ByteBuffer bytes, int from, int to) {
    if (to - from > MAX_CHARACTERS) {
      return 0;
    }
    int key = 0;
    for (int p = from; p < to; p++) {
      int c = bytes.get(p);
      if (c <= ' ' || c > '~') {
        return 0; // With a leading zero byte, the number would be that of another type.
      }
      key = key << 8 | c;
    }
    return key;
  }

  /**
   * Returns true if a type is that of a session message.
   *
   * @param key the number of a type
   * @return true for Logon, Logout, Heartbeat, TestRequest, ResendRequest, Reject and SequenceReset
   */
  public static boolean isAdmin(int key) {
    return (key >= HEARTBEAT && key <= LOGOUT) || key == LOGON;
  }

  /**
   * Returns a type as text. Allocates.
   *
   * @param key the number of a type
   * @return its characters
   */
  public static String text(int key) {
    StringBuilder text = new StringBuilder(MAX_CHARACTERS);
    for (int shift = 24; shift >= 0; shift -= 8) {
      int c = key >>> shift & 0xFF;
      if (c != 0) {
        text.append((char) c);
      }
    }
    return text.toString();
  }
}
