package dev.decant.fix.session;

import dev.decant.fix.message.CheckSum;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MessageStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Gives bodies their header and trailer, a number and a place in the store, and puts them behind what is to be written.
 *
 * <pre>
 *   8= 9= | 35= 34= (43=) 49= (50=) 52= 56= (57=) (122=) (369=) | body | 10=
 *   start   the rest of the header, made first: 9= tells its length; in the order of its tags, as most engines have it
 * </pre>
 *
 * <p>Owner of the session only.
 */
final class OutboundMessages {
  /** In place of OrigSendingTime(122). */
  static final long NOT_SENT_BEFORE = Long.MIN_VALUE;

  private static final byte SOH = 1;
  private static final int TRAILER_BYTES = 7;
  private static final int MAX_LENGTH_DIGITS = 9;

  private final SessionSettings settings;
  private final MessageStore store;
  private final OutputBuffer output;
  private final SessionReporter reporter;
  private final SessionTime time;
  private final Scratch scratch;
  private final FieldWriter header = new FieldWriter();
  private final FieldWriter body = new FieldWriter();
  private final byte[] start;
  private final byte[] sender;
  private final byte[] target;
  private final int fractionDigits;
  /** LastMsgSeqNumProcessed(369) of the next message. */
  private long lastProcessed;
  private long lastSentNanos;

  OutboundMessages(SessionSettings settings, MessageStore store, OutputBuffer output, SessionReporter reporter,
      SessionTime time, Scratch scratch) {
    this.settings = settings;
    this.store = store;
    this.output = output;
    this.reporter = reporter;
    this.time = time;
    this.scratch = scratch;
    this.start = ascii("8=" + settings.id().beginString() + "\u00019=");
    SessionId id = settings.id();
    this.sender = end(Tag.SENDER_COMP_ID, id.senderCompId(), Tag.SENDER_SUB_ID, id.senderSubId());
    this.target = end(Tag.TARGET_COMP_ID, id.targetCompId(), Tag.TARGET_SUB_ID, id.targetSubId());
    this.fractionDigits = settings.timestampPrecision().fractionDigits();
  }

  private static byte[] end(int compIdTag, String compId, int subIdTag, String subId) {
    String comp = compIdTag + "=" + compId + '\u0001';
    return ascii(subId.isEmpty() ? comp : comp + subIdTag + '=' + subId + '\u0001');
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** When a message was written last. */
  long lastSentNanos() {
    return lastSentNanos;
  }

  void lastProcessed(long number) {
    lastProcessed = number;
  }

  /** Begins the body of a message of the session layer. */
  FieldWriter beginAdmin() {
    ByteBuffer memory = scratch.body();
    return body.wrap(memory, 0, memory.capacity());
  }

  /**
   * Sends what was written since {@link #beginAdmin} under the next number. It is not kept: a gap fill takes its place
   * if it is asked for again. False if there is no room, or the store does not take the number.
   */
  boolean sendAdmin(int msgType) {
    long number = store.nextOutbound();
    int bytes = write(number, msgType, NOT_SENT_BEFORE, body.buffer(), 0, body.position());
    if (bytes < 0) {
      return false;
    }
    if (!store.setNextOutbound(number + 1, time.epochNanos())) {
      reporter.storeFailed(store.failure());
      return false;
    }
    append(bytes);
    return true;
  }

  /**
   * Sends what was written since {@link #beginAdmin} under the next number, and keeps it. False if there is no room, or
   * the store does not take it.
   */
  boolean sendKept(int msgType) {
    boolean sent = sendApplication(msgType, body.buffer(), 0, body.position(), true);
    if (!sent) {
      reporter.storeFailed(store.failure());
    }
    return sent;
  }

  /**
   * Sends what was written since {@link #beginAdmin} under a number that was used before. False if there is no room.
   */
  boolean resendAdmin(long number, int msgType) {
    int bytes = write(number, msgType, time.epochNanos(), body.buffer(), 0, body.position());
    if (bytes < 0) {
      return false;
    }
    append(bytes);
    return true;
  }

  /** Sends a kept message again. False if there is no room. */
  boolean resend(long number, int msgType, long firstSentEpochNanos, ByteBuffer memory, int from, int to) {
    int bytes = write(number, msgType, firstSentEpochNanos, memory, from, to);
    if (bytes < 0) {
      return false;
    }
    append(bytes);
    return true;
  }

  /**
   * Keeps an application message under the next number, and sends it unless that shall wait until it is asked for.
   * False if there is no room, or the store does not take it: nothing has changed then.
   */
  boolean sendApplication(int msgType, ByteBuffer memory, int from, int to, boolean toSocket) {
    long number = store.nextOutbound();
    int bytes = write(number, msgType, NOT_SENT_BEFORE, memory, from, to);
    if (bytes < 0) {
      return false;
    }
    int at = output.tail();
    if (!store.appendOutbound(number, time.epochNanos(), output.memory(), at, at + bytes)) {
      return false;
    }
    if (toSocket) {
      append(bytes);
    }
    return true;
  }

  private void append(int bytes) {
    int at = output.tail();
    output.append(bytes);
    lastSentNanos = time.nowNanos();
    reporter.outbound(output.memory(), at, at + bytes);
  }

  /** Writes a whole message at the tail of the output; returns its bytes, -1 if there is no room. */
  private int write(long number, int msgType, long firstSentEpochNanos, ByteBuffer source, int from, int to) {
    writeHeader(number, msgType, firstSentEpochNanos);
    int headerBytes = header.position();
    int bodyBytes = headerBytes + to - from;
    if (!output.hasRoom(start.length + MAX_LENGTH_DIGITS + 1 + bodyBytes + TRAILER_BYTES)) {
      return -1;
    }
    ByteBuffer out = output.memory();
    int begin = output.tail();
    out.put(begin, start);
    int at = putLength(out, begin + start.length, bodyBytes);
    out.put(at, scratch.header(), 0, headerBytes);
    at += headerBytes;
    out.put(at, source, from, to - from);
    at += to - from;
    putTrailer(out, at, CheckSum.of(out, begin, at));
    return at + TRAILER_BYTES - begin;
  }

  private void writeHeader(long number, int msgType, long firstSentEpochNanos) {
    ByteBuffer memory = scratch.header();
    header.wrap(memory, 0, memory.capacity()).skip(putMsgType(memory, msgType)).integer(Tag.MSG_SEQ_NUM, number);
    if (firstSentEpochNanos != NOT_SENT_BEFORE) {
      header.flag(Tag.POSS_DUP_FLAG, true);
    }
    putEnd(memory, sender);
    header.timestamp(Tag.SENDING_TIME, time.epochNanos(), fractionDigits);
    putEnd(memory, target);
    if (firstSentEpochNanos != NOT_SENT_BEFORE) {
      header.timestamp(Tag.ORIG_SENDING_TIME, firstSentEpochNanos, fractionDigits);
    }
    if (settings.lastMsgSeqNumProcessed()) {
      header.integer(Tag.LAST_MSG_SEQ_NUM_PROCESSED, lastProcessed);
    }
  }

  private void putEnd(ByteBuffer memory, byte[] end) {
    memory.put(header.position(), end);
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

  /** Index of the first field that the sender of a kept message has written itself. */
  int ownFields(MessageView kept) {
    int at = 3;
    while (at < kept.endField() && isOurs(kept.tagAt(at))) {
      at++;
    }
    return at;
  }

  private boolean isOurs(int tag) {
    return switch (tag) {
      case Tag.SENDER_COMP_ID, Tag.TARGET_COMP_ID, Tag.MSG_SEQ_NUM, Tag.SENDING_TIME, Tag.POSS_DUP_FLAG,
          Tag.ORIG_SENDING_TIME, Tag.LAST_MSG_SEQ_NUM_PROCESSED ->
        true;
      case Tag.SENDER_SUB_ID -> !settings.id().senderSubId().isEmpty();
      case Tag.TARGET_SUB_ID -> !settings.id().targetSubId().isEmpty();
      default -> false;
    };
  }
}
