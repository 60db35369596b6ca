package dev.decant.fix.session;

import dev.decant.fix.settings.SessionSettings;

/** Texts of session messages: those that an application sends, and those that a counterparty has sent. */
public final class SessionText {
  /** The longest foreign text, or repetition of one, that is shown or sent. */
  static final int MAX_SHOWN = 256;

  private static final char SOH = 1;
  private static final String CUT = "...";

  private SessionText() {}

  /**
   * Checks a text for Text(58).
   *
   * @param text an empty one leaves the field out
   * @param settings the settings of the session that sends it
   * @throws IllegalArgumentException if a message cannot have this text
   */
  public static void require(String text, SessionSettings settings) {
    int most = settings.maxMessageBytes() / 2;
    if (text.length() > most) {
      throw new IllegalArgumentException("a text of " + text.length() + " characters; at most " + most
          + ", half of maxMessageBytes, can be sent");
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == SOH || c > 0xFF) {
        throw new IllegalArgumentException("the text has character " + (int) c + " at " + i
            + ", which cannot be sent: characters of one byte without the delimiter can");
      }
    }
  }

  /**
   * Returns a readable form of a text: printable ASCII characters, {@code ?} for all others, cut at {@link #MAX_SHOWN}.
   */
  static String shown(String text) {
    int length = Math.min(text.length(), MAX_SHOWN);
    boolean asItIs = length == text.length();
    for (int i = 0; i < length && asItIs; i++) {
      asItIs = isPrintable(text.charAt(i));
    }
    if (asItIs) {
      return text;
    }
    StringBuilder shown = new StringBuilder(length + CUT.length());
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      shown.append(isPrintable(c) ? c : '?');
    }
    return shown.append(length < text.length() ? CUT : "").toString();
  }

  private static boolean isPrintable(char c) {
    return c >= ' ' && c <= '~';
  }
}
