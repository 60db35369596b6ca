package dev.decant.fix.control;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Writes one JSON object as one line. One thread. */
final class JsonLine {
  private final StringBuilder out = new StringBuilder("{");
  private boolean isFirst = true;

  /** Adds a member: a number or boolean unchanged, null as null, all else as a string. */
  JsonLine put(String name, @Nullable Object value) {
    name(name);
    if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      string(value.toString());
    }
    return this;
  }

  private void name(String name) {
    if (!isFirst) {
      out.append(',');
    }
    isFirst = false;
    string(name);
    out.append(':');
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c >= ' ' && c <= '~') {
        out.append(c);
      } else {
        out.append("\\u").append(HexFormat.of().toHexDigits(c));
      }
    }
    out.append('"');
  }

  /** Returns the line, without a line feed. */
  @Override
  public String toString() {
    return out + "}";
  }
}
