package dev.decant.fix.session;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;

/**
 * Recovers missing messages of the counterparty. It requests them once, in chunks if so set, and later messages wait.
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
  /** EndSeqNo(16) for "all", until FIX.4.1; later 0. */
  private static final long OLD_INFINITY = 999_999;

  private final SessionProtocol session;
  private final SessionSettings settings;
  private final GapQueue queue;
  private final long infinity;
  /** What was asked for: from begin to end; no gap is open while end is 0. */
  private long begin;
  private long end;
  /** The last number of the present chunk; 0 if all was asked for at once. */
  private long chunkEnd;
  /** The highest number that has come before its turn, whether its message waits or did not fit. */
  private long highest;
  /** What the last gap fill or reset has skipped: from here to before the other number. */
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

  /** A message has come before its turn: it waits, and those before it are asked for. */
  void tooHigh(MessageView message, long number) {
    long expected = session.store().nextInbound();
    session.reporter().gap(expected, number);
    keep(message, number);
    if (end != 0 && !settings.redundantResendRequests() && number >= begin) {
      return;
    }
    request(expected, number - 1);
  }

  /** Lets a message wait for its turn. */
  void keep(MessageView message, long number) {
    highest = Math.max(highest, number);
    if (!queue.add(number, message.buffer(), message.messageFrom(), message.messageTo())) {
      session.reporter().notice("message " + number + " does not fit into gapQueueBytes "
          + settings.gapQueueBytes() + ", it will be asked for again");
    }
  }

  /** The counterparty knows from our NextExpectedMsgSeqNum(789) what is missing: as if it had been asked. */
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

  /** A message of this number is taken in its turn: the gap may be closed, or the next chunk due. */
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

  /** The counterparty skips from the expected number to another one. */
  void skipped(long from, long number) {
    skippedFrom = from;
    skippedTo = number;
    if (end != 0 && number > end) {
      close();
    } else if (end != 0 && chunkEnd != 0 && number >= chunkEnd) {
      request(number, end);
    }
  }

  /** Whether a message of this number or a later one has come before its turn. */
  boolean hasSeen(long number) {
    return highest >= number;
  }

  /** Whether the counterparty has skipped a number with its last gap fill or reset. */
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
