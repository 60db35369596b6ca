package dev.decant.fix.message;

import java.nio.ByteBuffer;

/**
 * Reads a whole message in place. It is created once and used for one message after the other; valid during the call
 * that received it. Not thread-safe.
 */
public final class MessageView extends FieldView {
  /** Result of {@link #parse}: the message is well-formed. */
  public static final int OK = 0;
  /** Result of {@link #parse}: the first three fields are not BeginString(8), BodyLength(9) and MsgType(35). */
  public static final int BAD_START = 1;
  /** Result of {@link #parse}: BodyLength(9) is not the count of bytes up to CheckSum(10). */
  public static final int BAD_BODY_LENGTH = 2;
  /** Result of {@link #parse}: CheckSum(10) is missing, not three digits, or wrong. */
  public static final int BAD_CHECK_SUM = 3;
  /** Result of {@link #parse}: a field has no number, no equals sign or no end. */
  public static final int BAD_FIELD = 4;

  /** Length of {@code 10=ddd} and its delimiter. */
  private static final int TRAILER_BYTES = 7;
  private static final int CHECK_SUM_DIGITS = 3;

  private final DataFields dataFields;
  /** Index of the message's first byte in the buffer. */
  private int from;
  /** Index after its last byte. */
  private int to;
  private int bodyFirst;
  private int bodyEnd;
  private int msgTypeKey;

  /** Creates a view for messages with the data fields of the specification. */
  public MessageView() {
    this(DataFields.standard());
  }

  /**
   * Creates a view.
   *
   * @param dataFields the fields that may contain the delimiter
   */
  public MessageView(DataFields dataFields) {
    this(dataFields, false);
  }

  /**
   * Creates a view.
   *
   * @param dataFields the fields that may contain the delimiter
   * @param weakTimestamps true if timestamps, dates and times may have the formats of {@link WeakTimestamps}, also in
   *     groups
   */
  public MessageView(DataFields dataFields, boolean weakTimestamps) {
    super(new FieldTable());
    this.dataFields = dataFields;
    fields.takesWeakTimes = weakTimestamps;
  }

  /**
   * Returns true if times may have the formats of {@link WeakTimestamps}.
   *
   * @return true if the view was created so
   */
  public boolean takesWeakTimestamps() {
    return fields.takesWeakTimes;
  }

  /**
   * Returns the field of this message that was last read in a format of {@link WeakTimestamps}.
   *
   * @return its tag; 0 if there was none
   */
  public int weakTimestampTag() {
    return fields.weakTimeTag;
  }

  /**
   * Parses a message: finds its fields and checks its frame. The bytes may be hostile.
   *
   * @param buffer holds the message; its position and limit are not changed
   * @param start index of its first byte
   * @param finish index after its last byte
   * @param checkCheckSum true if the value of CheckSum(10) must be right
   * @return {@link #OK}, or the fault: then only the fields before it can be read
   */
  public int parse(ByteBuffer buffer, int start, int finish, boolean checkCheckSum) {
    from = start;
    to = finish;
    bodyFirst = 0;
    bodyEnd = 0;
    msgTypeKey = 0;
    boolean fieldsAreWhole = fields.parse(buffer, start, finish, dataFields);
    range(0, fields.count);
    int result = checkFrame(buffer, checkCheckSum);
    if (result != OK) {
      return result;
    }
    if (!fieldsAreWhole) {
      return BAD_FIELD;
    }
    int last = fields.count - 1;
    if (fields.tags[last] != Tag.CHECK_SUM || fields.to[last] - fields.from[last] != CHECK_SUM_DIGITS) {
      return BAD_CHECK_SUM;
    }
    bodyFirst = endOfHeader();
    bodyEnd = startOfTrailer(last);
    msgTypeKey = MsgType.key(buffer, fields.from[2], fields.to[2]);
    return OK;
  }

  private int checkFrame(ByteBuffer buffer, boolean checkCheckSum) {
    int[] tags = fields.tags;
    if (fields.count < 3 || tags[0] != Tag.BEGIN_STRING || tags[1] != Tag.BODY_LENGTH || tags[2] != Tag.MSG_TYPE) {
      return BAD_START;
    }
    int bodyFrom = fields.to[1] + 1;
    int trailer = to - TRAILER_BYTES;
    if (trailer < bodyFrom || Ascii.parseUnsigned(buffer, fields.from[1], fields.to[1]) != trailer - bodyFrom) {
      return BAD_BODY_LENGTH;
    }
    if (buffer.get(trailer) != '1' || buffer.get(trailer + 1) != '0' || buffer.get(trailer + 2) != '='
        || buffer.get(to - 1) != FieldTable.SOH) {
      return BAD_CHECK_SUM;
    }
    int sum = Ascii.parseDigits(buffer, trailer + 3, CHECK_SUM_DIGITS);
    if (sum < 0 || (checkCheckSum && sum != CheckSum.of(buffer, from, trailer))) {
      return BAD_CHECK_SUM;
    }
    return OK;
  }

  private int endOfHeader() {
    int at = 3;
    while (at < fields.count && StandardHeader.contains(fields.tags[at])) {
      at++;
    }
    return at;
  }

  private int startOfTrailer(int last) {
    int at = last;
    while (at > bodyFirst && StandardHeader.isTrailer(fields.tags[at - 1])) {
      at--;
    }
    return at;
  }

  @Override
  public int find(int tag) {
    return fields.find(tag);
  }

  /**
   * Finds a field in the standard header only. A counterparty may send the same tag in the body, too, or only there.
   *
   * @param tag of the field
   * @return its index; -1 if the header has none
   */
  public int findInHeader(int tag) {
    int index = fields.find(tag);
    return index < bodyFirst ? index : -1;
  }

  /**
   * Describes a result of {@link #parse}.
   *
   * @param result not {@link #OK}
   * @return a phrase for people
   */
  public static String problem(int result) {
    return switch (result) {
      case BAD_START -> "the message does not begin with BeginString, BodyLength and MsgType";
      case BAD_BODY_LENGTH -> "BodyLength is wrong";
      case BAD_CHECK_SUM -> "CheckSum is missing or wrong";
      case BAD_FIELD -> "a field has no tag, no equals sign or no end";
      default -> "the message is well-formed";
    };
  }

  /**
   * Returns MsgType(35) as a number, see {@link MsgType}.
   *
   * @return 0 for a type of more than four characters, or with one that is not printable
   */
  public int msgTypeKey() {
    return msgTypeKey;
  }

  /**
   * Returns the index of the first field behind the standard header.
   *
   * @return an index; 0 if the message is not well-formed
   */
  public int bodyFirst() {
    return bodyFirst;
  }

  /**
   * Returns the index of the first field of the trailer: Signature(89) and its length, or CheckSum(10).
   *
   * @return an index; 0 if the message is not well-formed
   */
  public int bodyEnd() {
    return bodyEnd;
  }

  /**
   * Returns where the message begins in {@link #buffer()}.
   *
   * @return index of its first byte
   */
  public int messageFrom() {
    return from;
  }

  /**
   * Returns where the message ends in {@link #buffer()}.
   *
   * @return index after its last byte
   */
  public int messageTo() {
    return to;
  }

  /** Returns the message with {@code |} for the delimiter, and without the values of 96, 554 and 925. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < fields.count; i++) {
      int tag = tagAt(i);
      text.append(tag).append('=');
      if (tag == Tag.PASSWORD || tag == Tag.NEW_PASSWORD || tag == Tag.RAW_DATA) {
        text.append("***");
      } else {
        for (int p = valueFrom(i); p < valueTo(i); p++) {
          text.append((char) (buffer().get(p) & 0xFF));
        }
      }
      text.append('|');
    }
    return text.toString();
  }
}
