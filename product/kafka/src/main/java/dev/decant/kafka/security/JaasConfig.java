package dev.decant.kafka.security;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One entry of JAAS in the form of Kafka's {@code sasl.jaas.config}.
 *
 * <pre>
 *   org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="..." ;
 * </pre>
 *
 * <p>Errors show the name of the class and no other part: any word may be a password that lost its quotes.
 */
final class JaasConfig {
  private static final String NAME = "sasl.jaas.config: ";
  private static final String FORM = "; its form is: class required name=\"value\" name=\"value\";";

  private final String text;
  private int at;

  private JaasConfig(String text) {
    this.text = text;
  }

  /**
   * One entry.
   *
   * @param module the name of the login module's class
   * @param options by name
   */
  record Entry(String module, Map<String, String> options) {
    @Override
    public String toString() {
      return module;
    }
  }

  static Entry parse(String text) {
    return new JaasConfig(text).entry();
  }

  private Entry entry() {
    skipBlanks();
    String module = token();
    if (!module.matches("[\\p{Alnum}_$]+([.][\\p{Alnum}_$]+)*")) {
      throw problem("does not begin with the class of a login module");
    }
    skipBlanks();
    String flag = token();
    if (!flag.matches("(?i)required|requisite|sufficient|optional")) {
      throw problem("no flag follows the class, such as required");
    }
    Map<String, String> options = new LinkedHashMap<>();
    skipBlanks();
    while (at < text.length() && text.charAt(at) != ';') {
      readOption(options);
      skipBlanks();
    }
    if (at == text.length()) {
      throw problem("does not end with a semicolon");
    }
    at++;
    skipBlanks();
    if (at < text.length()) {
      throw problem("something follows the semicolon; there is one login module");
    }
    return new Entry(module, options);
  }

  private void readOption(Map<String, String> options) {
    int number = options.size() + 1;
    String name = token();
    skipBlanks();
    if (name.isEmpty() || at == text.length() || text.charAt(at) != '=') {
      throw problem("option " + number + " is not of the form name=\"value\"");
    }
    at++;
    skipBlanks();
    boolean isQuoted = at < text.length() && (text.charAt(at) == '"' || text.charAt(at) == '\'');
    String value = isQuoted ? quoted(number) : token();
    if (!isQuoted && value.isEmpty()) {
      throw problem("option " + number + " has no value");
    }
    if (options.put(name, value) != null) {
      throw problem("option " + number + " is there twice");
    }
  }

  private String token() {
    int from = at;
    while (at < text.length() && "=;\"'".indexOf(text.charAt(at)) < 0 && !Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.substring(from, at);
  }

  private String quoted(int number) {
    char quote = text.charAt(at++);
    StringBuilder value = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote && text.charAt(at) != '\n') {
      char c = text.charAt(at++);
      value.append(c == '\\' && at < text.length() ? escaped() : c);
    }
    if (at == text.length() || text.charAt(at) != quote) {
      throw problem("the quoted value of option " + number + " does not end on its line");
    }
    at++;
    return value.toString();
  }

  /**
   * Reads an escape as the JDK does: letters for control characters, up to three octal digits, any other character as
   * it is.
   */
  private char escaped() {
    char c = text.charAt(at++);
    if (c >= '0' && c <= '7') {
      int code = c - '0';
      int most = c <= '3' ? 2 : 1;
      for (int i = 0; i < most && at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '7'; i++) {
        code = code * 8 + text.charAt(at++) - '0';
      }
      return (char) code;
    }
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      default -> c;
    };
  }

  /** Skips blanks, and comments of both kinds. */
  private void skipBlanks() {
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else if (text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        at = end < 0 ? text.length() : end + 2;
      } else {
        return;
      }
    }
  }

  private static IllegalArgumentException problem(String what) {
    return new IllegalArgumentException(NAME + what + FORM);
  }
}
