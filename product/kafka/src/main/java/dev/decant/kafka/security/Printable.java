package dev.decant.kafka.security;

/** Text of a peer for a message: bounded, and without control characters. */
final class Printable {
  private static final int MOST = 200;

  private Printable() {}

  static String of(String text) {
    StringBuilder printable = new StringBuilder();
    text.codePoints().limit(MOST).forEach(c -> printable.appendCodePoint(Character.isISOControl(c) ? '?' : c));
    return text.length() > MOST ? printable.append("...").toString() : printable.toString();
  }
}
