package dev.decant.net;

/**
 * Makes text of a peer fit for a message: bounded, and without characters that end a line, colour a terminal or turn
 * the direction of writing. A peer could otherwise forge lines of a log, or fill it.
 */
public final class Printable {
  private static final int MOST = 200;

  private Printable() {}

  /**
   * The beginning of a text, with a question mark for each character that is not printed.
   *
   * @param text as the peer has sent it
   * @return at most 200 characters, and three dots if there are more
   */
  public static String of(String text) {
    StringBuilder printable = new StringBuilder();
    text.codePoints().limit(MOST).forEach(c -> printable.appendCodePoint(isPrinted(c) ? c : '?'));
    return text.codePointCount(0, Math.min(text.length(), 2 * MOST + 1)) > MOST
        ? printable.append("...").toString()
        : printable.toString();
  }

  private static boolean isPrinted(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED -> false;
      default -> true;
    };
  }
}
