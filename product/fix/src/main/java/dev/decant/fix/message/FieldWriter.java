package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes fields into a region of a buffer, one after the other. It allocates exceptions only, and larger memory if a
 * subclass provides it. Not thread-safe.
 *
 * <p>A field is written whole or not at all. After an exception the position is unchanged, and the region takes the
 * next field. Bytes of the region from the position on are undefined.
 *
 * <p>Text has one byte per character and must not be empty. It must not contain the delimiter (SOH), which would end
 * the field early, so that the peer reads something else.
 */
public class FieldWriter {
  private static final byte SOH = FieldTable.SOH;
  private static final String SMALLEST_INTEGER = "-9223372036854775808";

  private final TimestampWriter timestamps = new TimestampWriter();
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int start;
  private int position;
  private int limit;

  /** Creates a writer without a region, into which nothing fits. */
  public FieldWriter() {}

  /**
   * Begins a region.
   *
   * @param target the buffer; its position and limit are not changed
   * @param from index of the first byte
   * @param to index after the last byte that may be written
   * @return this
   * @throws IndexOutOfBoundsException if the region is not within the buffer's limit
   */
  public final FieldWriter wrap(ByteBuffer target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.limit());
    buffer = target;
    start = from;
    position = from;
    limit = to;
    return this;
  }

  /**
   * Returns the buffer of the region.
   *
   * @return the buffer
   */
  public final ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Returns where the first field begins.
   *
   * @return index of the first byte
   */
  public final int start() {
    return start;
  }

  /**
   * Returns where the next field begins.
   *
   * @return index after the last byte written
   */
  public final int position() {
    return position;
  }

  /**
   * Skips bytes that were written into the region in another way.
   *
   * @param bytes how many
   * @return this
   * @throws MessageTooLargeException if the region has fewer
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
    if (value == Long.MIN_VALUE) {
      return text(tag, SMALLEST_INTEGER); // Long.MIN_VALUE has no positive counterpart
    }
    long magnitude = Math.abs(value);
    int digits = Ascii.digits(magnitude);
    int p = value < 0 ? beginNegative(tag, digits) : begin(tag, digits);
    Ascii.put(buffer, p, magnitude, digits);
    return endField(p + digits);
  }

  /**
   * Writes an integer with leading zeros, for a field that is patched later.
   *
   * @param tag of the field
   * @param value not negative
   * @param digits the length, 1 to 18; zeros fill it
   * @return this
   * @throws IllegalArgumentException if the value needs more digits
   * @throws MessageTooLargeException if the field does not fit
   */
  public final FieldWriter integer(int tag, long value, int digits) {
    requireDigits(tag, value, digits);
    int p = begin(tag, digits);
    Ascii.put(buffer, p, value, digits);
    return endField(p + digits);
  }

  static void requireDigits(int tag, long value, int digits) {
    if (value < 0 || digits < 1 || digits > Ascii.MAX_DIGITS || Ascii.digits(value) > digits) {
      throw new IllegalArgumentException("field " + tag + ": " + value + " does not fit into " + digits + " digits");
    }
  }

  /**
   * Writes a float, Price, Qty or Amt field: {@code mantissa * 10^exponent}.
   *
   * @param tag of the field
   * @param mantissa the digits with the sign; not {@link Long#MIN_VALUE}
   * @param exponent -18 to 0: -2 for two places after the point
   * @return this
   * @throws IllegalArgumentException if mantissa or exponent are out of bounds
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter decimal(int tag, long mantissa, int exponent) {
    if (exponent == 0) {
      return integer(tag, mantissa);
    }
    requireDecimal(tag, mantissa, exponent);
    int places = -exponent;
    long magnitude = Math.abs(mantissa);
    long whole = magnitude / Ascii.power(places);
    int wholeDigits = Ascii.digits(whole);
    int characters = wholeDigits + 1 + places;
    int p = mantissa < 0 ? beginNegative(tag, characters) : begin(tag, characters);
    Ascii.put(buffer, p, whole, wholeDigits);
    buffer.put(p + wholeDigits, (byte) '.');
    Ascii.put(buffer, p + wholeDigits + 1, magnitude - whole * Ascii.power(places), places);
    return endField(p + characters);
  }

  static void requireDecimal(int tag, long mantissa, int exponent) {
    if (exponent > 0 || exponent < -Ascii.MAX_DIGITS) {
      throw new IllegalArgumentException("field " + tag + ": exponent " + exponent + " is not between -18 and 0");
    }
    if (mantissa == Long.MIN_VALUE) {
      throw new IllegalArgumentException("field " + tag + ": mantissa " + mantissa + " is out of bounds");
    }
  }

  /**
   * Writes a float, Price, Qty or Amt field.
   *
   * @param tag of the field
   * @param value the number
   * @return this
   * @throws IllegalArgumentException if mantissa or exponent are out of bounds
   * @throws MessageTooLargeException if it does not fit
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
   * @throws IllegalArgumentException if it is the delimiter, or a character of more than one byte
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

  static byte checked(int tag, char c) {
    if (c > 0xFF || c == SOH) {
      throw new IllegalArgumentException("field " + tag + ": character " + (int) c + " cannot be sent");
    }
    return (byte) c;
  }

  /**
   * Writes a field whose value is in a buffer.
   *
   * @param tag of the field
   * @param source holds the value; its position and limit are not changed
   * @param from index of its first byte
   * @param to index after its last byte
   * @return this
   * @throws IllegalArgumentException if it is empty or contains the delimiter
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter bytes(int tag, ByteBuffer source, int from, int to) {
    requireBytes(tag, from, to);
    if (FieldTable.indexOfDelimiter(source, from, to) >= 0) {
      throw new IllegalArgumentException("field " + tag + " holds the delimiter; data fields may, see data()");
    }
    return putBytes(begin(tag, to - from), source, from, to);
  }

  /**
   * Writes a data field, which may contain the delimiter, after the field with its length.
   *
   * @param lengthTag of the length field
   * @param dataTag of the data field
   * @param source holds the data; its position and limit are not changed
   * @param from index of its first byte
   * @param to index after its last byte
   * @return this
   * @throws IllegalArgumentException if it is empty
   * @throws MessageTooLargeException if the two fields do not fit
   */
  public final FieldWriter data(int lengthTag, int dataTag, ByteBuffer source, int from, int to) {
    requireBytes(dataTag, from, to);
    int before = position - start;
    integer(lengthTag, to - from);
    int valueFrom;
    try {
      valueFrom = begin(dataTag, to - from);
    } catch (RuntimeException e) {
      position = start + before;
      throw e;
    }
    return putBytes(valueFrom, source, from, to);
  }

  private static void requireBytes(int tag, int from, int to) {
    if (to <= from) {
      throw new IllegalArgumentException("field " + tag + " is empty");
    }
  }

  private FieldWriter putBytes(int at, ByteBuffer source, int from, int to) {
    buffer.put(at, source, from, to - from);
    return endField(at + to - from);
  }

  /**
   * Writes a UTCTimestamp field.
   *
   * @param tag of the field
   * @param epochNanos nanoseconds since the epoch
   * @param fractionDigits 0, 3, 6 or 9; the rest is cut off
   * @return this
   * @throws IllegalArgumentException for another count of digits
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter timestamp(int tag, long epochNanos, int fractionDigits) {
    requireFraction(tag, fractionDigits);
    int length = Timestamps.length(fractionDigits);
    int p = begin(tag, length);
    timestamps.put(buffer, p, epochNanos, fractionDigits);
    return endField(p + length);
  }

  /**
   * Writes a UTCDateOnly or LocalMktDate field.
   *
   * @param tag of the field
   * @param epochDay days since the epoch
   * @return this
   * @throws IllegalArgumentException if that is not in the years 0 to 9999
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
   * @param fractionDigits 0, 3, 6 or 9; the rest is cut off
   * @return this
   * @throws IllegalArgumentException for another count of digits, or a time that is not within a day
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter time(int tag, long nanosOfDay, int fractionDigits) {
    requireFraction(tag, fractionDigits);
    int length = Timestamps.length(fractionDigits) - Timestamps.DATE_CHARACTERS - 1;
    int p = begin(tag, length);
    Timestamps.putTime(buffer, p, nanosOfDay, fractionDigits);
    return endField(p + length);
  }

  static void requireFraction(int tag, int digits) {
    if (digits != 0 && digits != 3 && digits != 6 && digits != 9) {
      throw new IllegalArgumentException("field " + tag + ": a fraction of " + digits + " digits; 0, 3, 6 and 9 exist");
    }
  }

  /**
   * Writes a received field unchanged, even with an invalid tag or an empty value.
   *
   * @param view the view that contains it
   * @param index of the field
   * @return this
   * @throws MessageTooLargeException if it does not fit
   */
  public final FieldWriter copy(FieldView view, int index) {
    return copy(view, index, index + 1);
  }

  /**
   * Writes received fields unchanged, in their order and with groups.
   *
   * @param view the view that contains them
   * @param fromIndex index of the first field
   * @param toIndex index after the last field
   * @return this
   * @throws MessageTooLargeException if they do not fit
   */
  public final FieldWriter copy(FieldView view, int fromIndex, int toIndex) {
    if (fromIndex >= toIndex) {
      return this;
    }
    return fields(view.buffer(), view.fieldFrom(fromIndex), view.valueTo(toIndex - 1) + 1);
  }

  /** Writes bytes that form whole fields. */
  final FieldWriter fields(ByteBuffer source, int from, int to) {
    requireRoom(to - from);
    buffer.put(position, source, from, to - from);
    position += to - from;
    return this;
  }

  /** Writes tag and equals sign if the whole field has room. Returns the index of the value. */
  private int begin(int tag, int valueBytes) {
    if (tag <= 0) {
      throw new IllegalArgumentException("a tag is positive, not " + tag);
    }
    int digits = tag < 100 ? (tag < 10 ? 1 : 2) : Ascii.digits(tag);
    requireRoom(digits + 2L + valueBytes);
    int p = position;
    if (digits <= Ascii.MAX_SHORT_TAG_DIGITS) {
      Ascii.putShortTag(buffer, p, tag); // A value has at least one byte, so the field has four, which this may write.
    } else {
      Ascii.put(buffer, p, tag, digits);
      buffer.put(p + digits, (byte) '=');
    }
    return p + digits + 1;
  }

  private int beginNegative(int tag, int digitBytes) {
    int p = begin(tag, digitBytes + 1);
    buffer.put(p, (byte) '-');
    return p + 1;
  }

  private FieldWriter endField(int at) {
    buffer.put(at, SOH);
    position = at + 1;
    return this;
  }

  private void requireRoom(long bytes) {
    if (limit - position < bytes) {
      grow(bytes);
    }
  }

  private void grow(long bytes) {
    ByteBuffer larger = largerMemory(position - start + bytes);
    if (larger == null) {
      throw tooLarge(bytes);
    }
    larger.put(0, buffer, start, position - start);
    position -= start;
    start = 0;
    buffer = larger;
    limit = larger.capacity();
  }

  /**
   * Returns larger memory when the region is full. The writer copies its bytes to the start, and all of the memory
   * becomes the region. A subclass may provide memory; the default has none.
   *
   * @param bytes the least that is required, including the bytes written so far
   * @return memory other than that of the region; null if there is none: the field does not fit
   */
  protected @Nullable ByteBuffer largerMemory(long bytes) {
    return null;
  }

  private MessageTooLargeException tooLarge(long bytes) {
    return new MessageTooLargeException("the message has no room for " + bytes + " bytes more than its "
        + (position - start) + "; it was begun with room for " + (limit - start));
  }
}
