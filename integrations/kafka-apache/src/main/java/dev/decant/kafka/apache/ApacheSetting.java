package dev.decant.kafka.apache;

import java.util.Locale;

/**
 * What becomes of one setting of Apache's clients.
 *
 * @param name Apache's; a prefix if it ends with {@code .*}
 * @param handling what becomes of it
 * @param accepted an expression for the values, in lower case, that are no error
 * @param text why, or what to do instead; empty if there is nothing to say
 */
record ApacheSetting(String name, Handling handling, String accepted, String text) {

  static final String ANY = "(?s).*";
  /** Matches nothing. */
  static final String NONE = "(?!)";

  /** What becomes of a setting. */
  enum Handling {
    /** The native client has the same setting. */
    MAPPED,
    /** The producer or consumer of this module does what it says. */
    HERE,
    /** It is accepted and changes nothing. */
    NO_EFFECT,
    /** It is an error, but for the accepted values. */
    REFUSED
  }

  static ApacheSetting mapped(String name, String text) {
    return new ApacheSetting(name, Handling.MAPPED, ANY, text);
  }

  static ApacheSetting here(String name, String text) {
    return new ApacheSetting(name, Handling.HERE, ANY, text);
  }

  static ApacheSetting noEffect(String name, String text) {
    return new ApacheSetting(name, Handling.NO_EFFECT, ANY, text);
  }

  static ApacheSetting refusedUnless(String accepted, String name, String text) {
    return new ApacheSetting(name, Handling.REFUSED, accepted, text);
  }

  boolean accepts(String value) {
    return value.strip().toLowerCase(Locale.ROOT).matches(accepted);
  }

  /** As the table of the documents has it. */
  String treatment() {
    return switch (handling) {
      case MAPPED, HERE -> "mapped";
      case NO_EFFECT -> "no effect";
      case REFUSED -> "refused" + exceptions();
    };
  }

  private String exceptions() {
    if (accepted.equals(NONE) || !accepted.matches("[a-z0-9_|]*")) {
      return ""; // the text says it
    }
    return accepted.isEmpty() ? ", unless it is empty" : ", but for `" + accepted.replace("|", "`, `") + "`";
  }
}
