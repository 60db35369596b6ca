package dev.decant.fake.group;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The regular expression of a subscription (KIP-848). Brokers match with RE2, whose time is bounded by the length of a
 * name. The JDK's expressions may take exponential time, so a match has a bound here; expressions that RE2 does not
 * know are rejected as brokers reject them.
 */
final class SubscriptionPattern {
  /**
   * Most reads of characters in a match: names have at most 249 characters, and a usable expression reads each a few
   * times.
   */
  private static final int MOST_STEPS = 100_000;
  /** Look-around, atomic groups, references to groups, and possessive quantifiers. */
  private static final Pattern UNKNOWN_TO_RE2 = Pattern.compile(
      "\\(\\?(?:[=!>]|<[=!])|\\\\[1-9]|\\\\k<|[*+?}]\\+");

  private final Pattern pattern;

  /** Thrown by a match that exceeds the bound. */
  private static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLongException() {
      super(null, null, false, false);
    }
  }

  private static final class Bounded implements CharSequence {
    private final String text;
    private int steps;

    Bounded(String text) {
      this.text = text;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      if (++steps > MOST_STEPS) {
        throw new TooLongException();
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private SubscriptionPattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /**
   * Compiles an expression.
   *
   * @throws PatternSyntaxException if it is malformed, or RE2 does not know it
   */
  static SubscriptionPattern compile(String expression) {
    Pattern compiled = Pattern.compile(expression);
    String unquoted = expression.replaceAll("\\\\Q.*?(\\\\E|$)|\\\\[^1-9k]|\\[[^\\]]*\\]", ".");
    if (UNKNOWN_TO_RE2.matcher(unquoted).find()) {
      throw new PatternSyntaxException("invalid or unsupported Perl syntax", expression, -1);
    }
    return new SubscriptionPattern(compiled);
  }

  /** Returns true if a topic matches; false if the match exceeds the bound. */
  boolean matches(String topic) {
    try {
      return pattern.matcher(new Bounded(topic)).matches();
    } catch (TooLongException | StackOverflowError e) {
      return false;
    }
  }

  /** Returns true if a match with a topic ends within the bound. */
  boolean isQuick(String topic) {
    try {
      boolean unused = pattern.matcher(new Bounded(topic)).matches();
      return true;
    } catch (TooLongException | StackOverflowError e) {
      return false;
    }
  }
}
