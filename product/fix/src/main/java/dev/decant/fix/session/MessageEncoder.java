package dev.decant.fix.session;

import dev.decant.fix.message.CheckSum;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Encodes whole messages: header, body and trailer.
 *
 * <pre>
 *   8= 9= | 35= 34= (43=) 49= (50=) 52= 56= (57=) (122=) (142=) (143=) (369=) | body | 10=
 *   start   the rest of the header, encoded first, because 9= has its length; most engines use this order, too
 * </pre>
 *
 * <p>One thread at a time.
 */
final class MessageEncoder {
  /** Stands for "no OrigSendingTime(122)": the message is not a resent one. */
  static final long NOT_SENT_BEFORE = Long.MIN_VALUE;

  private static final byte SOH = 1;
  private static final int TRAILER_BYTES = 7;
  private static final int MAX_LENGTH_DIGITS = 9;
  /**
   * Limit for MsgType, MsgSeqNum, PossDupFlag, two times with nanoseconds and LastMsgSeqNumProcessed, which take 150
   * bytes.
   */
  private static final int MAX_VARYING_HEADER_BYTES = 160;

  private final FieldWriter header = new FieldWriter();
  private final ByteBuffer headerMemory;
  private final byte[] start;
  private final byte[] sender;
  private final byte[] target;
  /** Both LocationIDs as encoded fields; empty if the session has none. */
  private final byte[] locations;
  private final int fractionDigits;
  private final boolean sendsLastProcessed;
  private final int maxBytesBesideBody;

  MessageEncoder(SessionSettings settings) {
    this(settings.id(), settings.timestampPrecision().fractionDigits(), settings.lastMsgSeqNumProcessed());
  }

  MessageEncoder(SessionId id, int fractionDigits, boolean sendsLastProcessed) {
    start = ascii("8=" + id.beginString() + "\u00019=");
    sender = end(Tag.SENDER_COMP_ID, id.senderCompId(), Tag.SENDER_SUB_ID, id.senderSubId());
    target = end(Tag.TARGET_COMP_ID, id.targetCompId(), Tag.TARGET_SUB_ID, id.targetSubId());
    locations = ascii(field(Tag.SENDER_LOCATION_ID, id.senderLocationId())
        + field(Tag.TARGET_LOCATION_ID, id.targetLocationId()));
    int constantBytes = sender.length + target.length + locations.length;
    headerMemory = ByteBuffer.allocate(MAX_VARYING_HEADER_BYTES + constantBytes);
    this.fractionDigits = fractionDigits;
    this.sendsLastProcessed = sendsLastProcessed;
    maxBytesBesideBody = start.length + MAX_LENGTH_DIGITS + 1 + MAX_VARYING_HEADER_BYTES + constantBytes
        + TRAILER_BYTES;
  }

  private static byte[] end(int compIdTag, String compId, int subIdTag, String subId) {
    return ascii(field(compIdTag, compId) + field(subIdTag, subId));
  }

  private static String field(int tag, String value) {
    return value.isEmpty() ? "" : tag + "=" + value + '\u0001';
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the longest message that can result from a body of this length. */
  int maxBytes(int bodyBytes) {
    return maxBytesBesideBody + bodyBytes;
  }

  /** Returns the length of the message at this index, which {@link #encode} has written there. */
  int bytesOfMessage(ByteBuffer in, int at) {
    int length = 0;
    int p = at + start.length;
    for (byte digit = in.get(p); digit != SOH; digit = in.get(++p)) {
      length = length * 10 + digit - '0';
    }
    return p + 1 + length + TRAILER_BYTES - at;
  }

  /** Encodes the header of the next message. Both times are nanoseconds since the epoch. */
  MessageEncoder begin(int msgType, long number, long firstSentEpochNanos, long epochNanos, long lastProcessed) {
    header.wrap(headerMemory, 0, headerMemory.capacity()).skip(putMsgType(headerMemory, msgType))
        .integer(Tag.MSG_SEQ_NUM, number);
    if (firstSentEpochNanos != NOT_SENT_BEFORE) {
      header.flag(Tag.POSS_DUP_FLAG, true);
    }
    putEnd(sender);
    header.timestamp(Tag.SENDING_TIME, epochNanos, fractionDigits);
    putEnd(target);
    if (firstSentEpochNanos != NOT_SENT_BEFORE) {
      // QuickFIX/J rejects a message whose OrigSendingTime is after SendingTime, so its application once missed an
      // order. The times can cross: a thread may send after the loop has read its clock for the round. A clock can also
      // be set back.
      header.timestamp(Tag.ORIG_SENDING_TIME, Math.min(firstSentEpochNanos, epochNanos), fractionDigits);
    }
    putEnd(locations);
    if (sendsLastProcessed) {
      header.integer(Tag.LAST_MSG_SEQ_NUM_PROCESSED, lastProcessed);
    }
    return this;
  }

  /** Encodes the message around a body. Returns its length, at most {@link #maxBytes}. */
  int encode(ByteBuffer out, int begin, ByteBuffer body, int from, int to) {
    int headerBytes = header.position();
    int bodyBytes = to - from;
    out.put(begin, start);
    int at = putLength(out, begin + start.length, headerBytes + bodyBytes);
    out.put(at, headerMemory, 0, headerBytes);
    at += headerBytes;
    out.put(at, body, from, bodyBytes);
    at += bodyBytes;
    putTrailer(out, at, CheckSum.of(out, begin, at));
    return at + TRAILER_BYTES - begin;
  }

  private void putEnd(byte[] end) {
    headerMemory.put(header.position(), end);
    header.skip(end.length);
  }

  private static int putMsgType(ByteBuffer memory, int msgType) {
    memory.put(0, (byte) '3').put(1, (byte) '5').put(2, (byte) '=');
    int at = 3;
    for (int shift = 24; shift >= 0; shift -= 8) {
      int c = msgType >>> shift & 0xFF;
      if (c != 0) {
        memory.put(at++, (byte) c);
      }
    }
    memory.put(at, SOH);
    return at + 1;
  }

  private static int putLength(ByteBuffer out, int at, int length) {
    int digits = 1;
    for (int rest = length; rest >= 10; rest /= 10) {
      digits++;
    }
    int rest = length;
    for (int p = at + digits - 1; p >= at; p--) {
      out.put(p, (byte) ('0' + rest % 10));
      rest /= 10;
    }
    out.put(at + digits, SOH);
    return at + digits + 1;
  }

  private static void putTrailer(ByteBuffer out, int at, int sum) {
    out.put(at, (byte) '1').put(at + 1, (byte) '0').put(at + 2, (byte) '=');
    out.put(at + 3, (byte) ('0' + sum / 100)).put(at + 4, (byte) ('0' + sum / 10 % 10));
    out.put(at + 5, (byte) ('0' + sum % 10)).put(at + 6, SOH);
  }
}
