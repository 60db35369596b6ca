package dev.decant.net;

import org.jspecify.annotations.Nullable;

/**
 * Makes text of a peer fit for a message: bounded, and without characters that end a line, colour a terminal or change
 * the writing direction. Otherwise a peer could forge lines of a log, or fill it: one refusal once took 700 kB for each
 * attempt.
 */
public final class Printable {
  private static final int MOST = 200;
  private static final int MOST_OF_A_CAUSE = 1_000;
  private static final int MOST_CAUSES = 20;

  private Printable() {}

  /**
   * Returns the beginning of a text, with a question mark for each unprintable character.
   *
   * @param text as the peer has sent it
   * @return at most 200 characters, and three dots if there are more
   */
  public static String of(String text) {
    return of(text, MOST);
  }

  /**
   * Returns the beginning of a text, with a question mark for each unprintable character.
   *
   * @param text as the peer has sent it
   * @param most how many characters are left
   * @return at most that many characters, and three dots if there are more
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
   * Returns a failure that may be the cause of another one. Messages of libraries may repeat a peer's text, and a stack
   * trace prints them.
   *
   * @param failure of a library
   * @return the same failure; null if a message of it or of its causes is too long or not printable
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
