package dev.decant.lab.fix;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line of Decant's message log, see {@link dev.decant.fix.log.FileMessageLog}.
 *
 * @param raw the line as it is in the file
 * @param time time in UTC
 * @param session the session, as the log writes it; {@code -} for the log's own events
 * @param direction {@code in}, {@code out} or {@code event}
 * @param text the message or the event
 */
public record LogLine(String raw, LocalDateTime time, String session, String direction, String text) {

  private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder().appendPattern("uuuuMMdd-HH:mm:ss")
      .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter(Locale.ROOT);
  private static final char SOH = 1;
  private static final int HEX = 16;

  /**
   * A field of a message.
   *
   * @param tag tag as it is written
   * @param value value without escapes
   */
  public record Field(String tag, String value) {}

  /**
   * Reads a line.
   *
   * @param line line of a file
   * @return null if the line does not belong to a message log
   */
  public static @Nullable LogLine parse(String line) {
    int afterTime = line.indexOf(' ');
    int afterSession = line.indexOf(' ', afterTime + 1);
    int afterDirection = line.indexOf(' ', afterSession + 1);
    if (afterTime < 0 || afterSession < 0 || afterDirection < 0) {
      return null;
    }
    String direction = line.substring(afterSession + 1, afterDirection);
    if (!direction.equals("in") && !direction.equals("out") && !direction.equals("event")) {
      return null;
    }
    try {
      LocalDateTime time = LocalDateTime.parse(line.substring(0, afterTime), TIME);
      return new LogLine(line, time, line.substring(afterTime + 1, afterSession), direction,
          line.substring(afterDirection + 1));
    } catch (DateTimeException e) {
      return null;
    }
  }

  /**
   * Returns true if the line is a message.
   *
   * @return false for an event
   */
  public boolean isMessage() {
    return !direction.equals("event");
  }

  /**
   * Splits the message into its fields.
   *
   * @return the fields in their order; none for an event. A piece without a tag has an empty tag
   */
  public List<Field> fields() {
    List<Field> fields = new ArrayList<>();
    if (!isMessage()) {
      return fields;
    }
    char separator = text.indexOf(SOH) >= 0 ? SOH : '|';
    int from = 0;
    while (from < text.length()) {
      int end = text.indexOf(separator, from);
      end = end < 0 ? text.length() : end;
      int equals = text.indexOf('=', from);
      boolean isField = equals > from && equals < end;
      fields.add(new Field(isField ? text.substring(from, equals) : "",
          unescaped(text.substring(isField ? equals + 1 : from, end))));
      from = end + 1;
    }
    return fields;
  }

  /** Replaces the log's escapes, except those of characters that a terminal must not get. */
  private static String unescaped(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && text.startsWith("\\\\", i)) {
        plain.append('\\');
        i++;
      } else if (c == '\\' && text.startsWith("\\x7C", i)) {
        plain.append((char) Integer.parseInt("7C", HEX));
        i += 3;
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }

  /**
   * Finds a field.
   *
   * @param fields fields of a message
   * @param tag the tag
   * @return the value of the first field with the tag; null if there is none
   */
  public static @Nullable String value(List<Field> fields, String tag) {
    for (Field field : fields) {
      if (field.tag.equals(tag)) {
        return field.value;
      }
    }
    return null;
  }
}
