package dev.decant.fix.session;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Sends kept messages again, some at a time: as many as the output has room for. A gap fill replaces messages that are
 * not stored, that the application does not resend, or that are older than the limit.
 *
 * <pre>
 *   first      next unanswered          last
 *   | answered | not kept, not wanted   | ...
 *              gap fill to the next message that is sent
 * </pre>
 *
 * <p>Owner of the session only.
 */
final class Resender {
  /** Bound what one turn does: other sessions of the loop have theirs in between. */
  private static final int MESSAGES_PER_TURN = 256;
  private static final int BYTES_PER_TURN = 1 << 16;

  private final SessionProtocol session;
  private final SessionSettings settings;
  /** Null until the first message is sent again, and after a change of the data fields. */
  private @Nullable MessageView view;
  private DataFields dataFields;
  /** The first number that is not resent yet. */
  private long next;
  /** The last number to resend; 0 while nothing is to be sent again. */
  private long last;
  /** Below this nothing is sent again, as the limit wants it. */
  private long firstToSend;
  /** The number to be looked at next: from {@link #next} on, messages that are skipped. */
  private long position;
  /** A turn is under way: a callback of the application may end the session in the middle of a message. */
  private boolean isWorking;
  /** Messages that the store has given, and that are not sent yet. */
  private final ReplayBatch batch = new ReplayBatch();

  Resender(SessionProtocol session, SessionSettings settings) {
    this.session = session;
    this.settings = settings;
    this.dataFields = settings.dataFields();
  }

  /** Another dictionary counts from now on. */
  void dataFields(DataFields value) {
    dataFields = value;
    view = null;
  }

  private MessageView view() {
    MessageView made = view;
    if (made == null) {
      made = new MessageView(dataFields);
      view = made;
    }
    return made;
  }

  boolean isActive() {
    return last != 0;
  }

  /** Begins to resend, or extends the range under way. */
  void begin(long from, long to) {
    if (last != 0) {
      next = Math.min(next, from);
      last = Math.max(last, to);
    } else {
      next = from;
      last = to;
    }
    position = next;
    batch.clear();
    firstToSend = Math.max(next, last - settings.resendLimit() + 1);
  }

  void clear() {
    last = 0;
    batch.clear();
    if (!isWorking) {
      batch.release();
    }
  }

  /** Sends on for one turn; returns whether there is more to be sent. */
  boolean doWork() {
    if (last == 0 || isWorking) { // a callback of a turn sends, and makes room for that
      return last != 0;
    }
    isWorking = true;
    try {
      sendTurn();
    } finally {
      isWorking = false;
    }
    if (last == 0) {
      batch.release();
    }
    return last != 0;
  }

  private void sendTurn() {
    boolean hasRoom = true;
    int messagesLeft = MESSAGES_PER_TURN;
    int bytesLeft = BYTES_PER_TURN;
    while (hasRoom && messagesLeft > 0 && bytesLeft > 0 && last != 0 && hasNext()) {
      bytesLeft -= batch.to() - batch.from();
      messagesLeft--;
      hasRoom = resendNext();
    }
    if (hasRoom && messagesLeft > 0 && bytesLeft > 0 && last != 0 && fillGap(last + 1)) {
      last = 0;
    }
  }

  /** Reads on in the store if that is needed; false if it has no more messages. */
  private boolean hasNext() {
    if (!batch.isEmpty()) {
      return true;
    }
    batch.clear();
    try {
      long from = Math.max(position, firstToSend);
      if (from <= last) {
        session.store().replayOutbound(from, last, batch);
      }
    } catch (IOException e) {
      session.reporter().storeFailed(e);
      batch.clear();
    }
    if (batch.isEmpty()) {
      position = last + 1; // nobody could send them: the counterparty hears that they are skipped
    }
    return !batch.isEmpty();
  }

  private boolean resendNext() {
    if (!resend()) {
      return false;
    }
    if (!batch.isEmpty()) { // the application has not ended the session meanwhile
      position = batch.number() + 1;
      batch.remove();
    }
    return true;
  }

  /** Sends a message again, or skips it; false if there is no room. */
  private boolean resend() {
    long number = batch.number();
    MessageView kept = view();
    if (kept.parse(batch.memory(), batch.from(), batch.to(), false) != MessageView.OK) {
      session.reporter().notice("message " + number + " of the store is damaged, it is not sent again");
      return true;
    }
    if (MsgType.isAdmin(kept.msgTypeKey()) || !session.callbacks().mayResend(kept)) {
      return true;
    }
    if (last == 0 || !fillGap(number)) {
      return false;
    }
    int own = session.out().ownFields(kept);
    int bodyFrom = own == 3 ? kept.valueTo(2) + 1 : kept.valueTo(own - 1) + 1;
    int bodyTo = kept.valueTo(kept.endField() - 2) + 1;
    if (!session.out().resend(number, kept.msgTypeKey(), batch.epochNanos(), batch.memory(), bodyFrom, bodyTo)) {
      return false;
    }
    next = number + 1;
    session.out().sentUpTo(number);
    return true;
  }

  /** Tells that messages up to a number are skipped; false if there is no room. */
  private boolean fillGap(long newSeqNo) {
    if (next >= newSeqNo) {
      return true;
    }
    session.out().beginAdmin().integer(Tag.NEW_SEQ_NO, newSeqNo).flag(Tag.GAP_FILL_FLAG, true);
    session.callbacks().completeAdmin(MsgType.SEQUENCE_RESET, session.out().adminBody());
    // The application has sent, its connection has turned out to be broken, and the session has ended.
    if (last == 0 || !session.out().resendAdmin(next, MsgType.SEQUENCE_RESET)) {
      return false;
    }
    next = newSeqNo;
    session.out().sentUpTo(newSeqNo - 1);
    return true;
  }
}
