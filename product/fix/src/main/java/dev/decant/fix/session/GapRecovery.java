package dev.decant.fix.session;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;

/**
 * Requests missing messages of the counterparty, once, in chunks if {@code resendRequestChunk} is set. Messages behind
 * the gap wait in a queue.
 *
 * <pre>
 *   expected                          arrived
 *   | first chunk   | next chunk      | queue
 *   begin           chunkEnd          end + 1
 * </pre>
 *
 * <p>Owner of the session only.
 */
final class GapRecovery {
  /** EndSeqNo(16) that stands for "all messages" until FIX.4.1; 0 from FIX.4.2 on. */
  private static final long OLD_INFINITY = 999_999;

  private final SessionProtocol session;
  private final SessionSettings settings;
  private final GapQueue queue;
  private final long infinity;
  /** The first and last missing number that was requested. No gap is open while {@code end} is 0. */
  private long begin;
  private long end;
  /** The last number of the present chunk; 0 if one request covers the whole gap. */
  private long chunkEnd;
  /** The highest number that arrived before its turn, even if its message did not fit into the queue. */
  private long highest;
  /**
   * The numbers that the last gap fill or reset skipped: {@code skippedFrom} up to, not including, {@code skippedTo}.
   */
  private long skippedFrom;
  private long skippedTo;

  GapRecovery(SessionProtocol session, SessionSettings settings) {
    this.session = session;
    this.settings = settings;
    this.queue = new GapQueue(settings.gapQueueBytes());
    this.infinity = settings.id().beginString().compareTo("FIX.4.1") <= 0 ? OLD_INFINITY : 0;
  }

  GapQueue queue() {
    return queue;
  }

  /** Queues a message that arrived before its turn, and requests those before it. */
  void tooHigh(MessageView message, long number) {
    long expected = session.store().nextInbound();
    session.reporter().gap(expected, number);
    keep(message, number);
    // An operator may have set the expected number behind the requested ones: then this is another gap.
    boolean isRequested = number >= begin && expected <= end;
    if (isRequested && !settings.redundantResendRequests()) {
      return;
    }
    request(expected, number - 1);
  }

  /** Queues a message until its turn. */
  void keep(MessageView message, long number) {
    highest = Math.max(highest, number);
    if (!queue.add(number, message.buffer(), message.messageFrom(), message.messageTo())) {
      session.reporter().notice("message " + number + " does not fit into gapQueueBytes "
          + settings.gapQueueBytes() + ", it will be asked for again");
    }
  }

  /**
   * Records a gap as requested without a ResendRequest(2), because the counterparty knows it from our
   * NextExpectedMsgSeqNum(789).
   */
  void assumeRequested(long from, long to) {
    begin = from;
    end = to;
    chunkEnd = 0;
  }

  private void request(long from, long to) {
    int chunk = settings.resendRequestChunk();
    long last = chunk == 0 ? to : Math.min(to, from + chunk - 1);
    boolean openEnd = last == to && !settings.closedResendRange();
    long endSeqNo = openEnd ? infinity : last;
    session.out().beginAdmin().integer(Tag.BEGIN_SEQ_NO, from).integer(Tag.END_SEQ_NO, endSeqNo);
    if (session.sendAdmin(MsgType.RESEND_REQUEST)) {
      begin = from;
      end = to;
      chunkEnd = chunk == 0 ? 0 : last;
      session.reporter().resendRequestSent(from, endSeqNo);
    }
  }

  /**
   * Notes that a message was accepted or rejected in its turn. That may close the gap, or make the next chunk due.
   * Further calls for the same message have no effect.
   */
  void taken(long number) {
    if (end == 0) {
      return;
    }
    if (number >= end) {
      close();
    } else if (chunkEnd != 0 && number >= chunkEnd) {
      request(number + 1, end);
    }
  }

  /** Notes that the counterparty skips the numbers from {@code from} up to, not including, {@code number}. */
  void skipped(long from, long number) {
    skippedFrom = from;
    skippedTo = number;
    if (end != 0 && number > end) {
      close();
    } else if (end != 0 && chunkEnd != 0 && number >= chunkEnd) {
      request(number, end);
    }
  }

  /** Returns true if a message with this number or a higher one arrived before its turn. */
  boolean hasSeen(long number) {
    return highest >= number;
  }

  /** Returns true if the last gap fill or reset of the counterparty skipped this number. */
  boolean isSkipped(long number) {
    return number >= skippedFrom && number < skippedTo;
  }

  private void close() {
    session.reporter().notice("messages " + begin + " to " + end + " have come");
    begin = 0;
    end = 0;
    chunkEnd = 0;
  }

  void clear() {
    begin = 0;
    end = 0;
    chunkEnd = 0;
    highest = 0;
    skippedFrom = 0;
    skippedTo = 0;
    queue.clear();
  }
}
