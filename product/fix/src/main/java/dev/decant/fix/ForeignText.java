package dev.decant.fix;

/** Words of a peer on their way into a line of ours: bounded, and without anything that ends or colours a line. */
final class ForeignText {
  /** Longest CompID or other word that a line repeats, in characters of the peer. */
  private static final int LONGEST_WORD = 64;
  /** Longest message of an exception, which may repeat words of the peer. */
  private static final int LONGEST_MESSAGE = 300;

  private ForeignText() {}

  /** Printable ASCII as it is, a backslash doubled, anything else as {@code \xNN}; what is too long ends in "...". */
  static String word(String text) {
    return of(text, LONGEST_WORD);
  }

  /** As {@link #word}, for a message of an exception. */
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
