package dev.decant.lab.fix;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses lines of a message log.
 *
 * @param session part of the session's name; empty for all
 * @param types values of MsgType(35), and {@code event}; empty for all
 * @param direction {@code in} or {@code out}; empty for both
 * @param matches conditions {@code tag=value}, all of which a message must meet; a {@code *} at the end of a value
 *     stands for any text
 * @param from first time; null for the beginning
 * @param to first time after the range; null for the end
 */
public record LogFilter(String session, Set<String> types, String direction, List<String> matches, @Nullable Bound from,
    @Nullable Bound to) {

  private static final DateTimeFormatter FIX_TIME = DateTimeFormatter.ofPattern("uuuuMMdd-HH:mm:ss");

  /**
   * A time, or a time of each day.
   *
   * @param time a time with a date; null for each day
   * @param timeOfDay the time of each day, if there is no date
   */
  public record Bound(@Nullable LocalDateTime time, LocalTime timeOfDay) {
    /**
     * Reads a time in UTC.
     *
     * @param text {@code 09:30}, {@code 2026-03-14}, {@code 2026-03-14T09:30:00}, with {@code Z} or without, or {@code
     *     20260314-09:30:00}
     * @return the bound
     * @throws IllegalArgumentException for any other text
     */
    public static Bound parse(String text) {
      try {
        if (text.matches("\\d{8}-.*")) {
          return at(LocalDateTime.parse(text, FIX_TIME));
        }
        if (text.matches("\\d{4}-\\d{2}-\\d{2}")) {
          return at(LocalDate.parse(text).atStartOfDay());
        }
        if (text.endsWith("Z")) {
          return at(LocalDateTime.ofInstant(Instant.parse(text), ZoneOffset.UTC));
        }
        return text.contains("T") ? at(LocalDateTime.parse(text)) : new Bound(null, LocalTime.parse(text));
      } catch (DateTimeException e) {
        throw new IllegalArgumentException("'" + text
            + "' is no time: 09:30, 2026-03-14T09:30:00 or 20260314-09:30:00 is wanted, in UTC", e);
      }
    }

    private static Bound at(LocalDateTime time) {
      return new Bound(time, time.toLocalTime());
    }

    boolean isAfter(LocalDateTime other) {
      return time == null ? timeOfDay.isAfter(other.toLocalTime()) : time.isAfter(other);
    }
  }

  /**
   * Returns true if a line meets all conditions.
   *
   * @param line the line
   * @param fields fields of the line's message
   * @return true if the line is chosen
   */
  public boolean accepts(LogLine line, List<LogLine.Field> fields) {
    if (!line.session().contains(session) || (from != null && from.isAfter(line.time()))
        || (to != null && !to.isAfter(line.time())) || (!direction.isEmpty() && !line.direction().equals(direction))) {
      return false;
    }
    if (!types.isEmpty() && !types.contains(line.isMessage()
        ? String.valueOf(LogLine.value(fields, "35"))
        : line.direction())) {
      return false;
    }
    return matches.stream().allMatch(match -> hasMatch(match, fields));
  }

  private static boolean hasMatch(String match, List<LogLine.Field> fields) {
    int equals = match.indexOf('=');
    String tag = match.substring(0, equals);
    String wanted = match.substring(equals + 1);
    boolean isPrefix = wanted.endsWith("*");
    String begin = isPrefix ? wanted.substring(0, wanted.length() - 1) : wanted;
    return fields.stream().anyMatch(field -> field.tag().equals(tag)
        && (isPrefix ? field.value().startsWith(begin) : field.value().equals(wanted)));
  }
}
