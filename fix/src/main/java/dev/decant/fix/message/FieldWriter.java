package dev.decant.fix.message;

import java.nio.ByteBuffer;

/**
 * Writes fields into a region of a buffer, one after the other. Nothing allocates but exceptions. Not thread-safe.
 *
 * <p>Text has one byte a character. It must not be empty and must not hold the delimiter (SOH), which would end the
 * field early: the peer would read something else than was written.
 */
public class FieldWriter {
  private static final byte SOH = FieldTable.SOH;
  private static final int MAX_TAG_DIGITS = 9;
  private static final int MAX_NUMBER_CHARACTERS = 20;

  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int start;
  private int position;
  private int limit;

  /** Makes a writer without a region: nothing fits. */
  public FieldWriter() {}

  /**
   * Begins to write.
   *
   * @param target the buffer; its position and limit are not touched
   * @param from index of the first byte
   * @param to index after the last byte that may be written
   * @return this
   */
  public final FieldWriter wrap(ByteBuffer target, int from, int to) {
    buffer = target;
    start = from;
    position = from;
    limit = to;
    return this;
  }

  /**
   * The memory written to.
   *
   * @return the buffer
   */
  public final ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Where the first field begins.
   *
   * @return index of the first byte
   */
  public final int start() {
    return start;
  }

  /**
   * Where the next field begins.
   *
   * @return index after the last byte written
   */
  public final int position() {
    return position;
  }

  /**
   * Passes over bytes that were written into the region in another way.
   *
   * @param bytes how many
   * @return this
   * @throws MessageTooLargeException if there are not so many
   */
  public final FieldWriter skip(int bytes) {
    requireRoom(bytes);
    position += bytes;
    return this;
  }

  /**
   * Writes an int, Length, SeqNum or NumInGroup field.
   *
   * @param tag of the field
   * @param value any number
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter integer(int tag, long value) {
    int p = begin(tag, MAX_NUMBER_CHARACTERS);
    p = putInteger(p, value);
    return endField(p);
  }

  private int putInteger(int at, long value) {
    if (value < 0) {
      if (value == Long.MIN_VALUE) {
        return putText(at, "-9223372036854775808");
      }
      buffer.put(at, (byte) '-');
      return putInteger(at + 1, -value);
    }
    int digits = Ascii.digits(value);
    Ascii.put(buffer, at, value, digits);
    return at + digits;
  }

  /**
   * Writes an integer with leading zeros, for a field that is patched later.
   *
   * @param tag of the field
   * @param value not negative
   * @param digits how many, 1 to 18; more than the value needs are filled with zeros
   * @return this
   * @throws IllegalArgumentException if the value does not fit into the digits
   */
  public final FieldWriter integer(int tag, long value, int digits) {
    if (value < 0 || digits < 1 || digits > 18 || Ascii.digits(value) > digits) {
      throw new IllegalArgumentException("field " + tag + ": " + value + " does not fit into " + digits + " digits");
    }
    int p = begin(tag, digits);
    Ascii.put(buffer, p, value, digits);
    return endField(p + digits);
  }

  /**
   * Writes a float, Price, Qty or Amt field: {@code mantissa * 10^exponent}.
   *
   * @param tag of the field
   * @param mantissa the digits with the sign
   * @param exponent -18 to 0: -2 for two places after the point
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter decimal(int tag, long mantissa, int exponent) {
    if (exponent > 0 || exponent < -18 || mantissa == Long.MIN_VALUE) {
      throw new IllegalArgumentException("field " + tag + ": exponent " + exponent + " is not between -18 and 0");
    }
    if (exponent == 0) {
      return integer(tag, mantissa);
    }
    int places = -exponent;
    int p = begin(tag, MAX_NUMBER_CHARACTERS + 2);
    long magnitude = mantissa;
    if (mantissa < 0) {
      buffer.put(p++, (byte) '-');
      magnitude = -mantissa;
    }
    int digits = Math.max(Ascii.digits(magnitude), places + 1);
    Ascii.put(buffer, p + 1, magnitude, digits); // the places in place, the rest a byte too far right
    int whole = digits - places;
    for (int i = 0; i < whole; i++) {
      buffer.put(p + i, buffer.get(p + i + 1));
    }
    buffer.put(p + whole, (byte) '.');
    return endField(p + digits + 1);
  }

  /**
   * Writes a float, Price, Qty or Amt field.
   *
   * @param tag of the field
   * @param value the number
   * @return this
   */
  public final FieldWriter decimal(int tag, Decimal value) {
    return decimal(tag, value.mantissa(), value.exponent());
  }

  /**
   * Writes a char field.
   *
   * @param tag of the field
   * @param value a character of one byte
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter character(int tag, char value) {
    int p = begin(tag, 1);
    buffer.put(p, checked(tag, value));
    return endField(p + 1);
  }

  /**
   * Writes a Boolean field.
   *
   * @param tag of the field
   * @param value true for Y, false for N
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter flag(int tag, boolean value) {
    return character(tag, value ? 'Y' : 'N');
  }

  /**
   * Writes a field of text.
   *
   * @param tag of the field
   * @param value characters of one byte each
   * @return this
   * @throws IllegalArgumentException if it is empty, or holds the delimiter or a character of more than one byte
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter text(int tag, CharSequence value) {
    int length = value.length();
    if (length == 0) {
      throw new IllegalArgumentException("field " + tag + " is empty");
    }
    int p = begin(tag, length);
    for (int i = 0; i < length; i++) {
      buffer.put(p + i, checked(tag, value.charAt(i)));
    }
    return endField(p + length);
  }

  private int putText(int at, String text) {
    for (int i = 0; i < text.length(); i++) {
      buffer.put(at + i, (byte) text.charAt(i));
    }
    return at + text.length();
  }

  private static byte checked(int tag, char c) {
    if (c > 0xFF || c == SOH) {
      throw new IllegalArgumentException("field " + tag + ": character " + (int) c + " cannot be sent");
    }
    return (byte) c;
  }

  /**
   * Writes a field whose value is there as bytes.
   *
   * @param tag of the field
   * @param source holds the value; its position and limit are not touched
   * @param from index of its first byte
   * @param to index after its last byte
   * @return this
   * @throws IllegalArgumentException if it is empty or holds the delimiter
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter bytes(int tag, ByteBuffer source, int from, int to) {
    for (int p = from; p < to; p++) {
      if (source.get(p) == SOH) {
        throw new IllegalArgumentException("field " + tag + " holds the delimiter; data fields may, see data()");
      }
    }
    if (to <= from) {
      throw new IllegalArgumentException("field " + tag + " is empty");
    }
    int p = begin(tag, to - from);
    buffer.put(p, source, from, to - from);
    return endField(p + to - from);
  }

  /**
   * Writes a data field after the field that tells its length; it may hold the delimiter.
   *
   * @param lengthTag of the length field
   * @param dataTag of the data field
   * @param source holds the data; its position and limit are not touched
   * @param from index of its first byte
   * @param to index after its last byte
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter data(int lengthTag, int dataTag, ByteBuffer source, int from, int to) {
    if (to <= from) {
      throw new IllegalArgumentException("field " + dataTag + " is empty");
    }
    integer(lengthTag, to - from);
    int p = begin(dataTag, to - from);
    buffer.put(p, source, from, to - from);
    return endField(p + to - from);
  }

  /**
   * Writes a UTCTimestamp field.
   *
   * @param tag of the field
   * @param epochNanos nanoseconds since the epoch, from 1678 to 2262
   * @param fractionDigits 0, 3, 6 or 9
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter timestamp(int tag, long epochNanos, int fractionDigits) {
    requireFraction(tag, fractionDigits);
    int length = Timestamps.length(fractionDigits);
    int p = begin(tag, length);
    Timestamps.put(buffer, p, epochNanos, fractionDigits);
    return endField(p + length);
  }

  /**
   * Writes a UTCDateOnly or LocalMktDate field.
   *
   * @param tag of the field
   * @param epochDay days since the epoch
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter date(int tag, long epochDay) {
    int p = begin(tag, Timestamps.DATE_CHARACTERS);
    Timestamps.putDate(buffer, p, epochDay);
    return endField(p + Timestamps.DATE_CHARACTERS);
  }

  /**
   * Writes a UTCTimeOnly field.
   *
   * @param tag of the field
   * @param nanosOfDay nanoseconds since midnight
   * @param fractionDigits 0, 3, 6 or 9
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter time(int tag, long nanosOfDay, int fractionDigits) {
    requireFraction(tag, fractionDigits);
    int length = Timestamps.length(fractionDigits) - Timestamps.DATE_CHARACTERS - 1;
    int p = begin(tag, length);
    Timestamps.putTime(buffer, p, nanosOfDay, fractionDigits);
    return endField(p + length);
  }

  private static void requireFraction(int tag, int digits) {
    if (digits != 0 && digits != 3 && digits != 6 && digits != 9) {
      throw new IllegalArgumentException("field " + tag + ": a fraction of " + digits + " digits; 0, 3, 6 and 9 exist");
    }
  }

  /**
   * Writes a field that was received, as it is.
   *
   * @param view where it was received
   * @param index of the field
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter copy(FieldView view, int index) {
    int from = view.valueFrom(index);
    int length = view.valueTo(index) - from;
    int p = begin(view.tagAt(index), length);
    buffer.put(p, view.buffer(), from, length);
    return endField(p + length);
  }

  /**
   * Writes fields that were received, as they are: with their order, and with groups.
   *
   * @param view where they were received
   * @param fromIndex index of the first field
   * @param toIndex index after the last field
   * @return this
   * @throws MessageTooLargeException if they do not fit
   */
  public final FieldWriter copy(FieldView view, int fromIndex, int toIndex) {
    if (fromIndex >= toIndex) {
      return this;
    }
    int from = view.valueFrom(fromIndex) - 1 - Ascii.digits(view.tagAt(fromIndex));
    int length = view.valueTo(toIndex - 1) + 1 - from;
    requireRoom(length);
    buffer.put(position, view.buffer(), from, length);
    position += length;
    return this;
  }

  private int begin(int tag, int valueBytes) {
    if (tag <= 0) {
      throw new IllegalArgumentException("a tag is positive, not " + tag);
    }
    requireRoom(MAX_TAG_DIGITS + 3 + valueBytes);
    int p = position;
    if (tag < 10) {
      buffer.put(p, (byte) ('0' + tag));
      p += 1;
    } else if (tag < 100) {
      buffer.put(p, (byte) ('0' + tag / 10));
      buffer.put(p + 1, (byte) ('0' + tag % 10));
      p += 2;
    } else {
      int digits = Ascii.digits(tag);
      Ascii.put(buffer, p, tag, digits);
      p += digits;
    }
    buffer.put(p, (byte) '=');
    return p + 1;
  }

  private FieldWriter endField(int at) {
    buffer.put(at, SOH);
    position = at + 1;
    return this;
  }

  private void requireRoom(int bytes) {
    if (limit - position < bytes) {
      throw new MessageTooLargeException("the message has no room for " + bytes + " bytes more than its "
          + (position - start) + "; it was begun with room for " + (limit - start));
    }
  }
}
