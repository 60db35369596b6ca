package dev.decant.fix.session;

import dev.decant.fix.settings.SessionSettings;

/** Texts of messages of the session layer: what an application may send in one, and what a counterparty has sent. */
public final class SessionText {
  /** The most of a foreign text, or of a text that repeats one, that is shown or sent. */
  static final int MAX_SHOWN = 256;

  private static final char SOH = 1;
  private static final String CUT = "...";

  private SessionText() {}

  /**
   * Checks a text that is to be sent in Text(58).
   *
   * @param text may be empty, then the field is left out
   * @param settings of the session that sends it
   * @throws IllegalArgumentException if a message cannot have such a text
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

  /** A text that can be sent and read by people: printable characters of ASCII, others as {@code ?}, and not many. */
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
