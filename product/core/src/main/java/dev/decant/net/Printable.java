package dev.decant.net;

import org.jspecify.annotations.Nullable;

/**
 * Makes text of a peer fit for a message: bounded, and without characters that end a line, colour a terminal or turn
 * the direction of writing. A peer could otherwise forge lines of a log, or fill it.
 */
public final class Printable {
  private static final int MOST = 200;
  private static final int MOST_OF_A_CAUSE = 1_000;
  private static final int MOST_CAUSES = 20;

  private Printable() {}

  /**
   * The beginning of a text, with a question mark for each character that is not printed.
   *
   * @param text as the peer has sent it
   * @return at most 200 characters, and three dots if there are more
   */
  public static String of(String text) {
    return of(text, MOST);
  }

  /**
   * The same with another bound.
   *
   * @param text as the peer has sent it
   * @param most how many characters are left
   * @return three dots follow if there are more
   */
  public static String of(String text, int most) {
    if (isPrintable(text, most)) {
      return text;
    }
    StringBuilder printable = new StringBuilder();
    text.codePoints().limit(most).forEach(c -> printable.appendCodePoint(isPrinted(c) ? c : '?'));
    return printable.codePointCount(0, printable.length()) == most && text.length() > printable.length()
        ? printable.append("...").toString()
        : printable.toString();
  }

  /**
   * A failure as the cause of another one. What libraries say of a peer may repeat its text, and a stack trace prints
   * it.
   *
   * @param failure of a library
   * @return the same; null if a message of it or of its causes is too long or not printable
   */
  public static @Nullable Throwable cause(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
      String message = cause.getMessage();
      if (message != null && !isPrintable(message, MOST_OF_A_CAUSE)) {
        return null;
      }
      cause = cause.getCause();
    }
    return failure;
  }

  private static boolean isPrintable(String text, int most) {
    return text.length() <= most && text.codePoints().allMatch(Printable::isPrinted);
  }

  private static boolean isPrinted(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED ->
        false;
      default -> true;
    };
  }
}
