package dev.decant.kafka.apache;

import java.util.Locale;

/**
 * How Decant treats one setting of Apache's clients.
 *
 * @param name Apache's; a prefix if it ends with {@code .*}
 * @param accepted a regular expression for the values, in lower case, that are no error
 * @param text reason or cure; may be empty
 */
record ApacheSetting(String name, Handling handling, String accepted, String text) {

  static final String ANY = "(?s).*";
  /** Matches no value. */
  static final String NONE = "(?!)";

  /** The treatments of a setting. */
  enum Handling {
    /** The native client has the same setting. */
    MAPPED,
    /** The producer or consumer of this module implements it. */
    HERE,
    /** It is accepted and has no effect. */
    NO_EFFECT,
    /** It is an error, apart from the accepted values. */
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

  /** Returns the treatment as the documents' table shows it. */
  String treatment() {
    return switch (handling) {
      case MAPPED, HERE -> "mapped";
      case NO_EFFECT -> "no effect";
      case REFUSED -> "refused" + exceptions();
    };
  }

  private String exceptions() {
    if (accepted.equals(NONE) || !accepted.matches("[a-z0-9_|]*")) {
      return ""; // the setting's text says it
    }
    return accepted.isEmpty() ? ", unless it is empty" : ", but for `" + accepted.replace("|", "`, `") + "`";
  }
}
