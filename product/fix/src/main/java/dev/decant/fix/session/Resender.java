package dev.decant.fix.session;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Resends stored messages, a limited number per turn and as far as the output has room. A gap fill replaces messages
 * that are not stored, that the application does not resend, or that are older than {@code resendLimit}.
 *
 * <pre>
 *   first      next                     last
 *   | resent   | not stored, not resent | ...
 *              gap fill up to the next message that is resent
 * </pre>
 *
 * <p>Owner of the session only.
 */
final class Resender {
  /**
   * Limits of one turn. Without them, a counterparty that reads as fast as it requests held up all other sessions of
   * the loop until its last message.
   */
  private static final int MESSAGES_PER_TURN = 256;
  private static final int BYTES_PER_TURN = 1 << 16;
  /** Length of the body of a gap fill with the largest number. */
  private static final int GAP_FILL_BYTES = 32;

  private final SessionProtocol session;
  private final SessionSettings settings;
  /** Parses stored messages. Null before the first one, and after a change of the data fields. */
  private @Nullable MessageView view;
  /** The data fields of stored messages. */
  private DataFields dataFields;
  /** The first number that is neither resent nor replaced by a gap fill. */
  private long next;
  /** The last number to resend; 0 while no replay is active. */
  private long last;
  /** The first number that {@code resendLimit} allows to resend; a gap fill replaces the earlier ones. */
  private long firstToSend;
  /** The number to examine next. Messages from {@link #next} up to it are to be skipped. */
  private long position;
  /** A message that the application resends, and that has found no room yet; 0 if there is none. */
  private long approved;
  /**
   * True during a turn. A callback of the application may end the session in the middle of a message, or send messages
   * that need room. That room must not come from another turn: it would ask the application about the same message
   * again.
   */
  private boolean isWorking;
  /** Messages read from the store and not resent yet. */
  private final ReplayBatch batch = new ReplayBatch();

  Resender(SessionProtocol session, SessionSettings settings) {
    this.session = session;
    this.settings = settings;
    this.dataFields = settings.dataFields();
  }

  /** Parses stored messages by these data fields from now on. */
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

  /** Begins to resend this range, or extends the active range by it. */
  void begin(long from, long to) {
    if (last != 0) {
      next = Math.min(next, from);
      last = Math.max(last, to);
    } else {
      next = from;
      last = to;
    }
    position = next;
    approved = 0;
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

  /** Runs one turn. Returns true if there are more messages to resend. */
  boolean doWork() {
    if (last == 0 || isWorking) { // A callback within a turn makes room for what it sends, see isWorking.
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

  /** Reads more messages from the store if none is left. Returns false if the store has no more. */
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
      position = last + 1; // The store has none of the rest: a gap fill replaces them.
    }
    return !batch.isEmpty();
  }

  private boolean resendNext() {
    if (!resend()) {
      return false;
    }
    if (!batch.isEmpty()) { // The batch is empty if the application ended the session in a callback.
      position = batch.number() + 1;
      batch.remove();
    }
    return true;
  }

  /** Resends a message or skips it. Returns false if there is no room. */
  private boolean resend() {
    long number = batch.number();
    MessageView kept = view();
    if (kept.parse(batch.memory(), batch.from(), batch.to(), false) != MessageView.OK) {
      session.reporter().notice("message " + number + " of the store is damaged, it is not sent again");
      return true;
    }
    if (MsgType.isAdmin(kept.msgTypeKey()) || (approved != number && !session.callbacks().mayResend(kept))) {
      return true;
    }
    approved = number;
    if (last == 0 || !fillGap(number)) {
      return false;
    }
    int own = ownFields(kept);
    int bodyFrom = own == 3 ? kept.valueTo(2) + 1 : kept.valueTo(own - 1) + 1;
    int bodyTo = kept.valueTo(kept.endField() - 2) + 1;
    if (!session.out().resend(number, kept.msgTypeKey(), batch.epochNanos(), batch.memory(), bodyFrom, bodyTo)) {
      return false;
    }
    next = number + 1;
    session.out().sentUpTo(number);
    return true;
  }

  /** Sends a gap fill up to {@code newSeqNo}, if messages are to be skipped. Returns false if there is no room. */
  private boolean fillGap(long newSeqNo) {
    if (next >= newSeqNo) {
      return true;
    }
    if (!session.out().hasRoomToResend(GAP_FILL_BYTES)) {
      return false; // The application is not asked about a message that must wait.
    }
    session.out().beginAdmin().integer(Tag.NEW_SEQ_NO, newSeqNo).flag(Tag.GAP_FILL_FLAG, true);
    session.callbacks().completeAdmin(MsgType.SEQUENCE_RESET, session.out().adminBody());
    // The callback may have sent a message on a connection that turned out to be broken. Then the session has ended.
    if (last == 0 || !session.out().resendAdmin(next, MsgType.SEQUENCE_RESET)) {
      return false;
    }
    next = newSeqNo;
    session.out().sentUpTo(newSeqNo - 1);
    return true;
  }

  /**
   * Returns the index of the first field of a stored message that its sender wrote, behind the fields of the session.
   */
  private int ownFields(MessageView kept) {
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
      case Tag.SENDER_LOCATION_ID -> !settings.id().senderLocationId().isEmpty();
      case Tag.TARGET_LOCATION_ID -> !settings.id().targetLocationId().isEmpty();
      default -> false;
    };
  }
}
