package dev.decant.fix.conformance;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages as text, written and read without the code under test. Bytes and characters are the same.
 *
 * @param fields of a message that was read
 */
record Message(List<Field> fields) {
  private static final char SOH = 1;
  private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuuMMdd-HH:mm:ss");
  /** Fields that stand before the others of a message, wherever a script has them. */
  private static final Set<Integer> HEADER = Set.of(34, 43, 49, 50, 52, 56, 57, 90, 91, 97, 115, 116, 122, 128, 129,
      142, 143, 144, 145, 212, 213, 347, 369, 1128, 1129, 1156);

  /** Bytes of a text with | for SOH, or ^ where SOH is within a value. */
  static byte[] bytes(String text) {
    return text.replace('|', SOH).replace('^', SOH).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Text of bytes. */
  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1).replace(SOH, '|');
  }

  /** A whole message: header first, with length and sum. */
  static byte[] of(String beginString, List<Field> fields) {
    StringBuilder body = new StringBuilder();
    append(body, fields, 35);
    for (Field field : fields) {
      if (HEADER.contains(field.tag())) {
        append(body, field);
      }
    }
    for (Field field : fields) {
      int tag = field.tag();
      if (!HEADER.contains(tag) && tag != 8 && tag != 9 && tag != 35 && tag != 10) {
        append(body, field);
      }
    }
    String begin = value(fields, 8, beginString);
    String length = value(fields, 9, Integer.toString(bytes(body.toString()).length));
    String start = "8=" + begin + "|9=" + length + '|' + body;
    return bytes(start + "10=" + value(fields, 10, checkSum(start)) + '|');
  }

  private static void append(StringBuilder out, List<Field> fields, int tag) {
    for (Field field : fields) {
      if (field.tag() == tag) {
        append(out, field);
      }
    }
  }

  private static void append(StringBuilder out, Field field) {
    if (!field.absent()) {
      out.append(field.tag()).append('=').append(field.value()).append('|');
    }
  }

  private static String value(List<Field> fields, int tag, String otherwise) {
    return fields.stream().filter(field -> field.tag() == tag).map(Field::value).findFirst().orElse(otherwise);
  }

  /** CheckSum(10) of the bytes before it. */
  static String checkSum(String text) {
    int sum = 0;
    for (byte b : bytes(text)) {
      sum += b & 0xFF;
    }
    return String.format("%03d", sum % 256);
  }

  /** A UTCTimestamp with milliseconds. */
  static String timestamp(long epochNanos) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(Math.floorDiv(epochNanos, 1_000_000_000L), 0, ZoneOffset.UTC);
    return SECONDS.format(time) + String.format(".%03d", Math.floorMod(epochNanos, 1_000_000_000L) / 1_000_000);
  }

  /** Nanoseconds since the epoch of a UTCTimestamp with 0, 3, 6 or 9 digits; fails for any other text. */
  static long epochNanos(String timestamp) {
    String fraction = timestamp.length() == 17 ? "" : timestamp.substring(18);
    if (!timestamp.matches("\\d{8}-\\d\\d:\\d\\d:\\d\\d(\\.\\d{3}|\\.\\d{6}|\\.\\d{9})?")) {
      throw new AssertionError("'" + timestamp + "' is no UTCTimestamp");
    }
    LocalDateTime time = LocalDateTime.parse(timestamp.substring(0, 17), SECONDS);
    return time.toEpochSecond(ZoneOffset.UTC) * 1_000_000_000L
        + Long.parseLong((fraction + "000000000").substring(0, 9));
  }

  /**
   * Cuts what was sent into messages.
   *
   * @throws AssertionError if it is not whole messages with the right start, length and sum
   */
  static List<Message> split(byte[] sent) {
    List<Message> messages = new ArrayList<>();
    String rest = text(sent);
    while (!rest.isEmpty()) {
      int end = rest.indexOf("|10=");
      end = end < 0 ? 0 : rest.indexOf('|', end + 1) + 1;
      if (end == 0) {
        throw new AssertionError("not a whole message was sent: " + rest);
      }
      messages.add(read(rest.substring(0, end)));
      rest = rest.substring(end);
    }
    return messages;
  }

  /** Reads a message with | for SOH, and checks what each has. */
  static Message read(String text) {
    Message message = readFields(text);
    List<Field> fields = message.fields;
    int count = fields.size();
    require(count >= 4 && fields.get(0).tag() == 8 && fields.get(1).tag() == 9 && fields.get(2).tag() == 35
        && fields.get(count - 1).tag() == 10, "8, 9, 35 and 10 in their places", text);
    int bodyFrom = text.indexOf('|', text.indexOf('|') + 1) + 1;
    int bodyTo = text.lastIndexOf("|10=") + 1;
    require(fields.get(1).value().equals(Integer.toString(bodyTo - bodyFrom)), "9=" + (bodyTo - bodyFrom), text);
    String sum = checkSum(text.substring(0, bodyTo));
    require(fields.get(count - 1).value().equals(sum), "10=" + sum, text);
    return message;
  }

  /** Reads fields with | for SOH; values of 96 and 355 may hold it. */
  static Message readFields(String text) {
    List<Field> fields = new ArrayList<>();
    int dataBytes = -1;
    int from = 0;
    while (from < text.length()) {
      int equals = text.indexOf('=', from);
      require(equals > from && text.substring(from, equals).matches("\\d+"), "tag=value at " + from, text);
      int tag = Integer.parseInt(text.substring(from, equals));
      boolean isData = (tag == 96 || tag == 355 || tag == 5902) && dataBytes >= 0;
      int end = isData ? equals + 1 + dataBytes : text.indexOf('|', equals);
      require(end > equals + 1 && end < text.length() && text.charAt(end) == '|', "a value and its end at " + from,
          text);
      String value = text.substring(equals + 1, end);
      dataBytes = tag == 95 || tag == 354 || tag == 5901 ? Integer.parseInt(value) : -1;
      fields.add(new Field(tag, value, false));
      from = end + 1;
    }
    return new Message(fields);
  }

  private static void require(boolean condition, String wanted, String text) {
    if (!condition) {
      throw new AssertionError("a message should have " + wanted + ": " + text);
    }
  }

  /** The value of a field, the first one or a later one; null if there are not so many. */
  @Nullable
  String value(int tag, int occurrence) {
    int left = occurrence;
    for (Field field : fields) {
      if (field.tag() == tag && left-- == 0) {
        return field.value();
      }
    }
    return null;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    fields.forEach(field -> text.append(field).append('|'));
    return text.toString();
  }
}
