package dev.decant.kafka.security;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON (RFC 8259) strictly: UTF-8 without errors, no name twice, no text after the value, a bounded depth. Its
 * errors have positions and no content, which may be secret.
 */
final class Json {
  private static final int MOST_DEPTH = 32;
  private static final int MOST_DIGITS = 32;

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /**
   * Reads an object: a {@code Map} of {@code Map}, {@code List}, {@code String}, {@code BigDecimal}, {@code Boolean}
   * and null.
   *
   * @throws IllegalArgumentException if the bytes are no object
   */
  static Map<String, @Nullable Object> object(byte[] json) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("it is not UTF-8");
    }
    Json reader = new Json(text);
    reader.space();
    Map<String, @Nullable Object> object = reader.object();
    reader.space();
    if (reader.at < text.length()) {
      throw reader.wrong("text after the object");
    }
    return object;
  }

  /** Returns a text as a string of JSON. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ') {
        quoted.append(String.format("\\u%04x", (int) c));
      } else if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  /** Returns a value of the types of {@link #object}, or a whole number, as JSON. */
  static String text(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> members -> members.entrySet().stream()
          .map(member -> quoted(String.valueOf(member.getKey())) + ":" + text(member.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
      case List<?> elements -> elements.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
      case BigDecimal number -> number.toString();
      case Long number -> number.toString();
      case Boolean flag -> flag.toString();
      default -> quoted(value.toString());
    };
  }

  private Map<String, @Nullable Object> object() {
    expect('{');
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    if (isEnd('}')) {
      return members;
    }
    do {
      space();
      String name = string();
      if (members.containsKey(name)) {
        throw wrong("a name for the second time");
      }
      space();
      expect(':');
      members.put(name, value());
    } while (hasNext('}'));
    return members;
  }

  private List<@Nullable Object> array() {
    expect('[');
    List<@Nullable Object> elements = new ArrayList<>();
    if (isEnd(']')) {
      return elements;
    }
    do {
      elements.add(value());
    } while (hasNext(']'));
    return elements;
  }

  private @Nullable Object value() {
    space();
    if (++depth > MOST_DEPTH) {
      throw wrong("more than " + MOST_DEPTH + " levels");
    }
    Object value = switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
    depth--;
    space();
    return value;
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong("no value");
    }
    at += word.length();
    return value;
  }

  private BigDecimal number() {
    int from = at;
    if (peek() == '-') {
      at++;
    }
    int whole = at;
    digits();
    if (text.charAt(whole) == '0' && at > whole + 1) {
      throw wrong("a number that begins with 0");
    }
    if (peek() == '.') {
      at++;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      digits();
    }
    if (at - from > MOST_DIGITS) {
      throw wrong("a number of more than " + MOST_DIGITS + " characters");
    }
    try {
      return new BigDecimal(text.substring(from, at));
    } catch (NumberFormatException e) {
      throw wrong("a number with too large an exponent");
    }
  }

  private void digits() {
    int from = at;
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    if (at == from) {
      throw wrong("no value");
    }
  }

  private String string() {
    expect('"');
    StringBuilder string = new StringBuilder();
    while (true) {
      char c = peek();
      if (c < ' ') {
        throw wrong(at < text.length() ? "a control character in a string" : "a string without end");
      }
      at++;
      if (c == '"') {
        return string.toString();
      }
      string.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw wrong("an escape that JSON does not have");
    };
  }

  private char unicode() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      char c = peek();
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw wrong("an escape that JSON does not have");
      }
      value = 16 * value + digit;
      at++;
    }
    return (char) value;
  }

  private boolean isEnd(char end) {
    space();
    if (peek() != end) {
      return false;
    }
    at++;
    return true;
  }

  /** Skips a comma, or the end of the list; returns true for a comma. */
  private boolean hasNext(char end) {
    if (peek() == ',') {
      at++;
      return true;
    }
    expect(end);
    return false;
  }

  private void expect(char c) {
    if (peek() != c) {
      throw wrong("no " + c);
    }
    at++;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  /** Returns the next character, or 0 at the end. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("it has " + what + " at character " + Math.min(at, text.length()));
  }
}
