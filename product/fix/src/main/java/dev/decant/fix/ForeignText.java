package dev.decant.fix;

/** Makes text of a peer safe for a line of the log: limited, and without line ends and control sequences. */
final class ForeignText {
  /** The longest CompID or other word that a line repeats, in characters of the peer. */
  private static final int LONGEST_WORD = 64;
  /** The longest message of an exception, which may repeat words of the peer. */
  private static final int LONGEST_MESSAGE = 300;

  private ForeignText() {}

  /**
   * Returns printable ASCII unchanged, a doubled backslash, and {@code \xNN} for all else. A longer text ends in "...".
   */
  static String word(String text) {
    return of(text, LONGEST_WORD);
  }

  /** Converts the message of an exception as {@link #word} does. */
  static String message(Throwable failure) {
    return of(failure.getMessage() == null ? failure.toString() : failure.getMessage(), LONGEST_MESSAGE);
  }

  private static String of(String text, int most) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < Math.min(most, text.length()); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        shown.append("\\\\");
      } else if (c >= ' ' && c <= '~') {
        shown.append(c);
      } else {
        shown.append(c < 0x100 ? "\\x" : "\\u").append(c < 0x10 ? "0" : "").append(Integer.toHexString(c));
      }
    }
    return text.length() > most ? shown.append("...").toString() : shown.toString();
  }
}
