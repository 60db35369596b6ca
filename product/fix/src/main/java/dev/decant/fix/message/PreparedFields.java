package dev.decant.fix.message;

import java.nio.ByteBuffer;

/**
 * Fields in memory of their own that are encoded once and sent many times. Before each use, values are patched in place
 * and keep their width. Patching and copying allocate exceptions only. Not thread-safe.
 *
 * <pre>
 * FieldWriter writer = new FieldWriter().wrap(ByteBuffer.allocate(512), 0, 512);
 * writer.text(11, "ORDER-000001").text(55, "DECANT").character(54, '1').text(44, "000000.00");
 * PreparedFields order = PreparedFields.copyOf(writer);
 * int side = order.slot(54);
 * int price = order.slot(44);
 * order.character(side, '2').decimal(price, 10_125, -2);
 * if (message.begin("D", order) == SendStatus.OK) {
 *   message.send();
 * }
 * </pre>
 *
 * <p>Numbers have leading zeros, which FIX allows: {@code 44=000101.25}. A value is patched whole or not at all: after
 * an exception the field has its old value. The caller knows the type of a field: each method patches any slot of the
 * right width. The length field of a data field must keep its value.
 */
public final class PreparedFields {
  private static final char SIGN = '-';

  private final FieldTable fields = new FieldTable();
  private final TimestampWriter timestamps = new TimestampWriter();
  private final ByteBuffer buffer;

  private PreparedFields(ByteBuffer source, int from, int to, DataFields dataFields) {
    buffer = ByteBuffer.allocateDirect(to - from).put(0, source, from, to - from);
    if (!fields.parse(buffer, 0, to - from, dataFields)) {
      throw new IllegalArgumentException("the writer does not hold whole fields");
    }
  }

  /**
   * Copies the fields of a writer, with the data fields of the specification. The writer can be reused.
   *
   * @param written from {@link FieldWriter#start} to {@link FieldWriter#position}
   * @return the fields, in memory of their own
   * @throws IllegalArgumentException if these are not whole fields
   */
  public static PreparedFields copyOf(FieldWriter written) {
    return copyOf(written, DataFields.standard());
  }

  /**
   * Copies the fields of a writer, with the data fields of a session. The writer can be reused.
   *
   * @param written from {@link FieldWriter#start} to {@link FieldWriter#position}
   * @param dataFields the fields that may contain the delimiter, such as
   *     {@link dev.decant.fix.settings.SessionSettings#dataFields()}
   * @return the fields, in memory of their own
   * @throws IllegalArgumentException if these are not whole fields
   */
  public static PreparedFields copyOf(FieldWriter written, DataFields dataFields) {
    return new PreparedFields(written.buffer(), written.start(), written.position(), dataFields);
  }

  /**
   * Returns the slot of the first field with a tag.
   *
   * @param tag of the field
   * @return a slot for the methods that patch
   * @throws IllegalArgumentException if there is no such field
   */
  public int slot(int tag) {
    return required(tag, fields.find(tag));
  }

  /**
   * Returns the slot of the next field with a tag, for the entries of a group.
   *
   * @param tag of the field
   * @param after a slot; the search begins behind it
   * @return a slot for the methods that patch
   * @throws IllegalArgumentException if there is no such field
   */
  public int nextSlot(int tag, int after) {
    return required(tag, fields.find(tag, checked(after) + 1, fields.count));
  }

  private static int required(int tag, int index) {
    if (index < 0) {
      throw new IllegalArgumentException("there is no field " + tag);
    }
    return index;
  }

  /**
   * Returns the length of the fields.
   *
   * @return bytes, the delimiters included
   */
  public int length() {
    return buffer.capacity();
  }

  /**
   * Patches an int, Length, SeqNum or NumInGroup field.
   *
   * @param slot of the field
   * @param value any number that fits; a sign takes one byte
   * @return this
   * @throws IllegalArgumentException if the value does not fit into the field
   * @throws IndexOutOfBoundsException if there is no such slot
   */
  public PreparedFields integer(int slot, long value) {
    int at = fields.from[checked(slot)];
    long magnitude = Math.abs(value);
    int digits = width(slot) - sign(value);
    if (magnitude < 0 || Ascii.digits(magnitude) > digits) {
      throw doesNotFit(slot, value, 0);
    }
    Ascii.put(buffer, putSign(at, value), magnitude, digits);
    return this;
  }

  /**
   * Patches a float, Price, Qty or Amt field: {@code mantissa * 10^exponent}. The result has at least one digit before
   * the point.
   *
   * @param slot of the field
   * @param mantissa the digits with the sign; a sign takes one byte
   * @param exponent -18 to 0: -2 for two places after the point
   * @return this
   * @throws IllegalArgumentException if the value does not fit into the field, or the exponent is out of bounds
   * @throws IndexOutOfBoundsException if there is no such slot
   */
  public PreparedFields decimal(int slot, long mantissa, int exponent) {
    if (exponent == 0) {
      return integer(slot, mantissa);
    }
    FieldWriter.requireDecimal(fields.tags[checked(slot)], mantissa, exponent);
    int places = -exponent;
    int wholeDigits = width(slot) - sign(mantissa) - 1 - places;
    long magnitude = Math.abs(mantissa);
    long whole = magnitude / Ascii.power(places);
    if (Ascii.digits(whole) > wholeDigits) {
      throw doesNotFit(slot, mantissa, exponent);
    }
    int p = putSign(fields.from[slot], mantissa);
    Ascii.put(buffer, p, whole, wholeDigits);
    buffer.put(p + wholeDigits, (byte) '.');
    Ascii.put(buffer, p + wholeDigits + 1, magnitude - whole * Ascii.power(places), places);
    return this;
  }

  private static int sign(long value) {
    return value < 0 ? 1 : 0;
  }

  /** Writes the sign of a negative number. Returns the index of its first digit. */
  private int putSign(int at, long value) {
    if (value >= 0) {
      return at;
    }
    buffer.put(at, (byte) SIGN);
    return at + 1;
  }

  private IllegalArgumentException doesNotFit(int slot, long mantissa, int exponent) {
    return new IllegalArgumentException("field " + fields.tags[slot] + ": " + new Decimal().set(mantissa, exponent)
        + " does not fit into " + width(slot) + " characters");
  }

  /**
   * Patches a char or Boolean field.
   *
   * @param slot of the field
   * @param value a character of one byte; Y or N for a Boolean
   * @return this
   * @throws IllegalArgumentException if it is the delimiter, or a character of more than one byte, or if the field has
   *         another length
   * @throws IndexOutOfBoundsException if there is no such slot
   */
  public PreparedFields character(int slot, char value) {
    requireWidth(slot, 1);
    buffer.put(fields.from[slot], FieldWriter.checked(fields.tags[slot], value));
    return this;
  }

  /**
   * Patches a field of text.
   *
   * @param slot of the field
   * @param value as many characters as the field has, of one byte each
   * @return this
   * @throws IllegalArgumentException if it has another length, or holds the delimiter or a character of more than one
   *         byte
   * @throws IndexOutOfBoundsException if there is no such slot
   */
  public PreparedFields text(int slot, CharSequence value) {
    int length = value.length();
    requireWidth(slot, length);
    int tag = fields.tags[slot];
    for (int i = 0; i < length; i++) {
      FieldWriter.checked(tag, value.charAt(i));
    }
    int at = fields.from[slot];
    for (int i = 0; i < length; i++) {
      buffer.put(at + i, (byte) value.charAt(i));
    }
    return this;
  }

  /**
   * Patches a UTCTimestamp field. Its width determines the fraction digits.
   *
   * @param slot of the field
   * @param epochNanos nanoseconds since the epoch; digits beyond the fraction are cut off
   * @return this
   * @throws IllegalArgumentException if the field has not 17, 21, 24 or 27 characters
   * @throws IndexOutOfBoundsException if there is no such slot
   */
  public PreparedFields timestamp(int slot, long epochNanos) {
    int at = fields.from[checked(slot)];
    int width = width(slot);
    int fractionDigits = width == Timestamps.SECONDS_CHARACTERS ? 0 : width - Timestamps.SECONDS_CHARACTERS - 1;
    FieldWriter.requireFraction(fields.tags[slot], fractionDigits);
    requireWidth(slot, Timestamps.length(fractionDigits));
    timestamps.put(buffer, at, epochNanos, fractionDigits);
    return this;
  }

  private int width(int slot) {
    return fields.to[slot] - fields.from[slot];
  }

  private int checked(int slot) {
    if (slot < 0 || slot >= fields.count) {
      throw new IndexOutOfBoundsException("no slot " + slot + "; there are " + fields.count);
    }
    return slot;
  }

  private void requireWidth(int slot, int characters) {
    if (width(checked(slot)) != characters) {
      throw new IllegalArgumentException("field " + fields.tags[slot] + " has " + width(slot) + " characters, not "
          + characters);
    }
  }

  /**
   * Writes all fields with their present values.
   *
   * @param target takes them
   * @throws MessageTooLargeException if they do not fit
   */
  public void copyTo(FieldWriter target) {
    target.fields(buffer, 0, buffer.capacity());
  }
}
