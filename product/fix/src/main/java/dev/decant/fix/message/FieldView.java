package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads fields in place, of a whole message or of one entry of a repeating group. Valid until the call that received
 * the message returns. Nothing is copied, and nothing is allocated except by {@link #string} and for exceptions.
 *
 * <p>Methods that take a tag always read the first field with that tag. {@link #findNext} finds the others. A message
 * has an index of the first field with each tag; in an entry, each call searches the fields.
 *
 * <p>Fields also have indexes. {@link #tagAt}, {@link #valueFrom} and {@link #valueTo} take an index that {@link #find}
 * returned, or any from {@link #firstField} to {@link #endField}. Not thread-safe.
 */
public abstract sealed class FieldView permits MessageView, GroupView {
  FieldTable fields;
  /** Index of the first field. */
  int first;
  /** Index after the last field. */
  int end;

  FieldView(FieldTable fields) {
    this.fields = fields;
  }

  final void range(int firstField, int endField) {
    first = firstField;
    end = endField;
  }

  /**
   * Returns the index of the first field.
   *
   * @return an index
   */
  public final int firstField() {
    return first;
  }

  /**
   * Returns the index after the last field.
   *
   * @return an index
   */
  public final int endField() {
    return end;
  }

  /**
   * Returns the tag of a field.
   *
   * @param index of the field
   * @return its tag as received, which may be 0 or negative
   */
  public final int tagAt(int index) {
    return fields.tags[index];
  }

  /**
   * Returns where a field begins.
   *
   * @param index of the field
   * @return index of the first byte of its tag, as received, in {@link #buffer()}
   */
  public final int fieldFrom(int index) {
    return fields.fieldFrom(index);
  }

  /**
   * Returns where the value of a field begins.
   *
   * @param index of the field
   * @return index of its first byte in {@link #buffer()}
   */
  public final int valueFrom(int index) {
    return fields.from[index];
  }

  /**
   * Returns where the value of a field ends.
   *
   * @param index of the field
   * @return index after its last byte in {@link #buffer()}; that of the first byte if the value is empty
   */
  public final int valueTo(int index) {
    return fields.to[index];
  }

  /**
   * Returns the buffer that contains the values.
   *
   * @return the buffer, which must not be written; its position and limit must not be changed
   */
  public final ByteBuffer buffer() {
    return fields.buffer;
  }

  /**
   * Finds the first field with a tag.
   *
   * @param tag of the field
   * @return index of the first one with this tag; -1 if there is none
   */
  public abstract int find(int tag);

  /**
   * Finds a further field with the same tag.
   *
   * @param tag of the field
   * @param index the search begins behind this field
   * @return index of the next field with this tag; -1 if there is none
   */
  public final int findNext(int tag, int index) {
    return fields.find(tag, index + 1, end);
  }

  /**
   * Returns true if there is a field.
   *
   * @param tag of the field
   * @return true if there is one, even without a value
   */
  public final boolean has(int tag) {
    return find(tag) >= 0;
  }

  private int require(int tag) {
    int index = find(tag);
    if (index < 0) {
      throw new FieldException(tag, RejectReason.REQUIRED_TAG_MISSING, "the message has no field " + tag);
    }
    return index;
  }

  private FieldException badFormat(int index, String type) {
    return new FieldException(tagAt(index), RejectReason.INCORRECT_DATA_FORMAT,
        "field " + tagAt(index) + " is no " + type);
  }

  /**
   * Returns the value of an int, Length, SeqNum or NumInGroup field.
   *
   * @param tag of the field
   * @return the value
   * @throws FieldException if there is no such field or it is no number of up to 18 digits
   */
  public final long integer(int tag) {
    return integerAt(require(tag));
  }

  /**
   * Returns the value of an int field that may be missing.
   *
   * @param tag of the field
   * @param ifAbsent for a message without it
   * @return the value
   * @throws FieldException if it is no number of up to 18 digits
   */
  public final long integer(int tag, long ifAbsent) {
    int index = find(tag);
    return index < 0 ? ifAbsent : integerAt(index);
  }

  private long integerAt(int index) {
    int from = fields.from[index];
    int to = fields.to[index];
    boolean negative = from < to && fields.buffer.get(from) == '-';
    long value = Ascii.parseUnsigned(fields.buffer, negative ? from + 1 : from, to);
    if (value < 0) {
      throw badFormat(index, "integer");
    }
    return negative ? -value : value;
  }

  /**
   * Reads the value of a float, Price, Qty or Amt field.
   *
   * @param tag of the field
   * @param into takes the value
   * @return {@code into}
   * @throws FieldException if there is no such field or it is no number of up to 18 digits and 18 decimal places
   */
  public final Decimal decimal(int tag, Decimal into) {
    int index = require(tag);
    ByteBuffer bytes = fields.buffer;
    int p = fields.from[index];
    int to = fields.to[index];
    boolean negative = p < to && bytes.get(p) == '-';
    if (negative) {
      p++;
    }
    long mantissa = 0;
    int digits = 0;
    int exponent = 0;
    boolean afterPoint = false;
    boolean any = false;
    for (; p < to; p++) {
      int digit = bytes.get(p) - '0';
      if (digit >= 0 && digit <= 9) {
        digits += mantissa == 0 && digit == 0 ? 0 : 1;
        mantissa = mantissa * 10 + digit;
        exponent -= afterPoint ? 1 : 0;
        any = true;
      } else if (digit == '.' - '0' && !afterPoint) {
        afterPoint = true;
      } else {
        throw badFormat(index, "decimal number");
      }
      if (digits > Ascii.MAX_DIGITS || exponent < -Ascii.MAX_DIGITS) {
        throw badFormat(index, "decimal number of up to 18 digits and 18 decimal places");
      }
    }
    if (!any) {
      throw badFormat(index, "decimal number");
    }
    return into.set(negative ? -mantissa : mantissa, exponent);
  }

  /**
   * Returns the value of a char field.
   *
   * @param tag of the field
   * @return the character
   * @throws FieldException if there is no such field or it has another length than 1
   */
  public final char character(int tag) {
    int index = require(tag);
    if (fields.to[index] - fields.from[index] != 1) {
      throw badFormat(index, "single character");
    }
    return (char) (fields.buffer.get(fields.from[index]) & 0xFF);
  }

  /**
   * Returns the value of a Boolean field.
   *
   * @param tag of the field
   * @param ifAbsent for a message without it
   * @return true for Y, false for N
   * @throws FieldException if it is neither
   */
  public final boolean flag(int tag, boolean ifAbsent) {
    int index = find(tag);
    if (index < 0) {
      return ifAbsent;
    }
    byte value = fields.to[index] - fields.from[index] == 1 ? fields.buffer.get(fields.from[index]) : 0;
    if (value != 'Y' && value != 'N') {
      throw badFormat(index, "Y or N");
    }
    return value == 'Y';
  }

  /**
   * Returns the value of a UTCTimestamp field.
   *
   * @param tag of the field
   * @return nanoseconds since the epoch
   * @throws FieldException if there is no such field, or it is no timestamp of the years 1678 to 2261
   */
  public final long timestamp(int tag) {
    int index = require(tag);
    long value = Timestamps.parse(fields.buffer, fields.from[index], fields.to[index]);
    return value != Timestamps.NO_TIMESTAMP ? value : weakTime(index, "timestamp");
  }

  /**
   * Returns the value of a UTCDateOnly or LocalMktDate field.
   *
   * @param tag of the field
   * @return days since the epoch
   * @throws FieldException if there is no such field or it is no date
   */
  public final long date(int tag) {
    int index = require(tag);
    long value = Timestamps.parseDate(fields.buffer, fields.from[index], fields.to[index]);
    return value != Timestamps.NO_TIMESTAMP ? value : weakTime(index, "date");
  }

  /**
   * Returns the value of a UTCTimeOnly field.
   *
   * @param tag of the field
   * @return nanoseconds since midnight
   * @throws FieldException if there is no such field or it is no time
   */
  public final long time(int tag) {
    int index = require(tag);
    long value = Timestamps.parseTime(fields.buffer, fields.from[index], fields.to[index]);
    return value != Timestamps.NO_TIMESTAMP ? value : weakTime(index, "time");
  }

  /** Reads a time in one of the formats of {@link WeakTimestamps}, if the view accepts these. */
  private long weakTime(int index, String type) {
    long value = Timestamps.NO_TIMESTAMP;
    if (fields.takesWeakTimes) {
      int from = fields.from[index];
      int to = fields.to[index];
      value = switch (type) {
        case "timestamp" -> WeakTimestamps.parse(fields.buffer, from, to);
        case "date" -> WeakTimestamps.parseDate(fields.buffer, from, to);
        default -> WeakTimestamps.parseTime(fields.buffer, from, to);
      };
    }
    if (value == Timestamps.NO_TIMESTAMP) {
      throw badFormat(index, type);
    }
    fields.weakTimeTag = tagAt(index);
    return value;
  }

  /**
   * Reads the value of a field of any type as text, in place.
   *
   * @param tag of the field
   * @param into refers to the text afterwards
   * @return {@code into}
   * @throws FieldException if there is no such field
   */
  public final AsciiView text(int tag, AsciiView into) {
    int index = require(tag);
    return into.set(fields.buffer, fields.from[index], fields.to[index]);
  }

  /**
   * Returns the value of a field of any type. Allocates.
   *
   * @param tag of the field
   * @return its bytes as ISO-8859-1
   * @throws FieldException if there is no such field
   */
  public final String string(int tag) {
    return stringAt(require(tag));
  }

  /**
   * Returns the value of a field of any type that may be missing. Allocates.
   *
   * @param tag of the field
   * @param ifAbsent for a message without it
   * @return its bytes as ISO-8859-1
   */
  public final String string(int tag, String ifAbsent) {
    int index = find(tag);
    return index < 0 ? ifAbsent : stringAt(index);
  }

  private String stringAt(int index) {
    byte[] bytes = new byte[fields.to[index] - fields.from[index]];
    fields.buffer.get(fields.from[index], bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /**
   * Compares the value of a field with a text.
   *
   * @param tag of the field
   * @param text the text
   * @return true if there is a field with this tag and it has these characters
   */
  public final boolean contentEquals(int tag, CharSequence text) {
    int index = find(tag);
    return index >= 0 && valueEquals(index, text);
  }

  /**
   * Compares the value at an index with a text.
   *
   * @param index of the field
   * @param text the text
   * @return true if it has these characters
   */
  public final boolean valueEquals(int index, CharSequence text) {
    int from = fields.from[index];
    int length = fields.to[index] - from;
    if (text.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((fields.buffer.get(from + i) & 0xFF) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Copies the value of a field, so that it can be kept beyond the call.
   *
   * @param tag of the field
   * @param target takes the bytes at its start
   * @return how many bytes were copied
   * @throws FieldException if there is no such field
   * @throws IndexOutOfBoundsException if the target is too short
   */
  public final int copy(int tag, byte[] target) {
    int index = require(tag);
    int length = fields.to[index] - fields.from[index];
    fields.buffer.get(fields.from[index], target, 0, length);
    return length;
  }

  /**
   * Reads the entries of a repeating group. Call {@link GroupView#next} before each one, the first included.
   *
   * @param numInGroupTag the NoXXX field that leads the group
   * @param into reads the entries; must not be this view
   * @return {@code into}, without an entry if the group is missing
   * @throws FieldException if the NoXXX field is no number
   * @throws IllegalArgumentException if {@code into} is this view
   */
  public final GroupView group(int numInGroupTag, GroupView into) {
    if (into == this) {
      throw new IllegalArgumentException("a group nested in an entry needs a view of its own");
    }
    int index = find(numInGroupTag);
    // If the count is no number, the view must not keep the entries of an earlier message: their memory has other
    // content by then.
    into.start(fields, -1, end, 0);
    if (index >= 0) {
      into.start(fields, index, end, integerAt(index));
    }
    return into;
  }
}
