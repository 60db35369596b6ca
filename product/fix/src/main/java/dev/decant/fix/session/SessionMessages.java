package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;

/** Handles all session messages of the counterparty except Logon(A). Owner of the session only. */
final class SessionMessages {
  /** EndSeqNo(16) that stands for "all messages" until FIX.4.2; later versions have 0. */
  private static final long OLD_INFINITY = 999_999;

  private final SessionProtocol session;
  private final SessionState state;
  private final SessionSettings settings;
  private final boolean hasOldInfinity;

  SessionMessages(SessionProtocol session, SessionState state, SessionSettings settings) {
    this.session = session;
    this.state = state;
    this.settings = settings;
    this.hasOldInfinity = settings.id().beginString().compareTo("FIX.4.2") <= 0;
  }

  /** Handles a message of one of the types below. */
  void receive(int type, MessageView message, long number) {
    switch (type) {
      case MsgType.LOGOUT -> receiveLogout(message, number);
      case MsgType.RESEND_REQUEST -> receiveResendRequest(message, number);
      case MsgType.SEQUENCE_RESET -> receiveSequenceReset(message, number);
      default -> {
        if (session.verifier().verify(message, number, true, true) && handle(type, message)) {
          session.advance(message, number);
        }
      }
    }
  }

  /** Handles a TestRequest(1), Reject(3) or Heartbeat(0). Returns false if the session has ended. */
  private boolean handle(int type, MessageView message) {
    if (type == MsgType.TEST_REQUEST) {
      return respondToTestRequest(message);
    }
    if (type == MsgType.HEARTBEAT) {
      session.heartbeats().testRequests().heartbeat(message);
    } else if (type == MsgType.REJECT) {
      session.reporter().rejectReceived(message.integer(Tag.REF_SEQ_NUM, 0),
          SessionText.shown(message.string(Tag.TEXT, "")));
    }
    return true;
  }

  private boolean respondToTestRequest(MessageView message) {
    FieldWriter heartbeat = session.out().beginAdmin();
    int id = message.find(Tag.TEST_REQ_ID);
    boolean hasValue = id >= 0 && message.valueTo(id) > message.valueFrom(id);
    // An empty TestReqID(112) that the settings accept is returned, because the counterparty waits for it.
    if (hasValue || (id >= 0 && !settings.validation().checkFieldsHaveValues())) {
      heartbeat.copy(message, id);
    }
    return session.sendAdmin(MsgType.HEARTBEAT);
  }

  /**
   * Handles a message that waited behind a gap, and that the counterparty replaced by a gap fill meanwhile. Its number
   * is counted already, but the message itself was never handled: a TestRequest(1) would get no Heartbeat(0).
   */
  void handleSkipped(MessageView message, long number) {
    int type = message.msgTypeKey();
    if (type == MsgType.LOGOUT) {
      loggedOut(message, number);
    } else if (MsgType.isAdmin(type)) {
      handle(type, message);
    }
  }

  /**
   * Handles a Logout(5). If it resets the numbers, messages missing before it can never be requested again. So they are
   * requested first, and the Logout(5) waits in the queue. With {@code resetOnDisconnect} it is answered at once, as
   * the acceptance definitions of QuickFIX want.
   */
  private void receiveLogout(MessageView message, long number) {
    boolean asksFirst = state.isLoggedOn() && settings.resetOnLogout();
    if (session.verifier().verify(message, number, asksFirst, false)) {
      loggedOut(message, number);
    }
  }

  private void loggedOut(MessageView message, long number) {
    boolean respondsToOurs = state.isLogoutSent();
    if (!respondsToOurs) {
      session.sendLogout("");
    }
    session.advance(message, number);
    String text = SessionText.shown(message.string(Tag.TEXT, ""));
    if (text.isEmpty()) {
      state.leaving(); // A Logout without Text(58) reports no error.
    }
    if (settings.resetOnLogout()) {
      session.resetAtEnd();
    }
    session.end((respondsToOurs ? "logged out" : "the counterparty logged out") + (text.isEmpty() ? "" : ": " + text));
  }

  /**
   * Handles a ResendRequest(2) whatever its number is. The counterparty may wait for our messages before it sends those
   * that we wait for. Then this end requests the messages that are missing before it (FIX session layer, "Message
   * Recovery").
   */
  private void receiveResendRequest(MessageView message, long number) {
    if (!session.verifier().verify(message, number, false, true)) {
      return;
    }
    long begin = Math.max(1, message.integer(Tag.BEGIN_SEQ_NO));
    long end = message.integer(Tag.END_SEQ_NO);
    boolean isBeyondGap = number > session.store().nextInbound();
    long lastSent = session.out().hold(); // Messages that are sent from now on follow the replay.
    boolean toTheLast = end == 0 || end > lastSent || (end == OLD_INFINITY && hasOldInfinity);
    long last = toTheLast ? lastSent : end;
    session.reporter().resendRequestReceived(begin, last);
    session.advance(message, number);
    if (begin <= last && state.isConnected()) {
      session.resender().begin(begin, last);
      // The replay begins at once: messages that arrived together with the request, such as a Logout, are handled after
      // it.
      session.resender().doWork();
    }
    if (isBeyondGap && state.isConnected()) {
      session.gap().tooHigh(message, number);
    }
  }

  private void receiveSequenceReset(MessageView message, long number) {
    boolean gapFill = message.flag(Tag.GAP_FILL_FLAG, false);
    if (!session.verifier().verify(message, number, gapFill, gapFill)) {
      return;
    }
    long newSeqNo = message.integer(Tag.NEW_SEQ_NO);
    // The message has an old number, and this end has reset its store already: only the old numbers advance.
    if (state.isResetAwaited()) {
      session.resets().expectBeforeReset(Math.max(newSeqNo, session.resets().expectedBeforeReset()));
      return;
    }
    long expected = session.store().nextInbound();
    if (newSeqNo > expected) {
      if (!session.store().setNextInbound(newSeqNo, session.time().epochNanos())) {
        session.storeRefused();
        return;
      }
      session.reporter().notice("the counterparty skips from " + expected + " to " + newSeqNo);
      session.gap().skipped(expected, newSeqNo);
    } else if (newSeqNo < expected) {
      session.reject(message, number, RejectReason.VALUE_IS_INCORRECT, Tag.NEW_SEQ_NO, null);
    }
  }
}
