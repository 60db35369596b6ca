package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;

/**
 * Obeys the counterparty's messages of the session layer, except Logon(A). Owner of the session only.
 */
final class SessionMessages {
  /** EndSeqNo(16) for "all", until FIX.4.2; later 0. */
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

  /** Takes a message of one of these types. */
  void receive(int type, MessageView message, long number) {
    switch (type) {
      case MsgType.LOGOUT -> receiveLogout(message, number);
      case MsgType.RESEND_REQUEST -> receiveResendRequest(message, number);
      case MsgType.SEQUENCE_RESET -> receiveSequenceReset(message, number);
      default -> {
        if (session.verifier().verify(message, number, true, true) && obey(type, message)) {
          session.advance(message, number);
        }
      }
    }
  }

  /** Does what a TestRequest(1), Reject(3) or Heartbeat(0) wants; false if the session had to end. */
  private boolean obey(int type, MessageView message) {
    if (type == MsgType.TEST_REQUEST) {
      return answerTestRequest(message);
    }
    if (type == MsgType.HEARTBEAT) {
      session.heartbeats().testRequests().heartbeat(message);
    } else if (type == MsgType.REJECT) {
      session.reporter().rejectReceived(message.integer(Tag.REF_SEQ_NUM, 0),
          SessionText.shown(message.string(Tag.TEXT, "")));
    }
    return true;
  }

  private boolean answerTestRequest(MessageView message) {
    FieldWriter heartbeat = session.out().beginAdmin();
    int id = message.find(Tag.TEST_REQ_ID);
    boolean hasValue = id >= 0 && message.valueTo(id) > message.valueFrom(id);
    if (hasValue || (id >= 0 && !settings.validation().checkFieldsHaveValues())) { // what is let through is returned
      heartbeat.copy(message, id);
    }
    return session.sendAdmin(MsgType.HEARTBEAT);
  }

  /**
   * Obeys a message that has waited behind a gap, and that the counterparty has replaced by a gap fill when it filled
   * the gap. The number counts already, but nobody has seen the message: a TestRequest(1) would stay without an answer.
   */
  void obeySkipped(MessageView message, long number) {
    int type = message.msgTypeKey();
    if (type == MsgType.LOGOUT) {
      loggedOut(message, number);
    } else if (MsgType.isAdmin(type)) {
      obey(type, message);
    }
  }

  /**
   * If the logout brings numbers from 1 on, messages that are missing before it cannot be asked for later: they are
   * asked for first, and the Logout(5) waits. With {@code resetOnDisconnect} it is answered at once, as QuickFIX has
   * it.
   */
  private void receiveLogout(MessageView message, long number) {
    boolean asksFirst = state.isLoggedOn() && settings.resetOnLogout();
    if (session.verifier().verify(message, number, asksFirst, false)) {
      loggedOut(message, number);
    }
  }

  private void loggedOut(MessageView message, long number) {
    boolean answersOurs = state.isLogoutSent();
    if (!answersOurs) {
      session.sendLogout("");
    }
    session.advance(message, number);
    String text = SessionText.shown(message.string(Tag.TEXT, ""));
    if (text.isEmpty()) {
      state.leaving(); // it complains of nothing
    }
    if (settings.resetOnLogout()) {
      session.resetAtEnd();
    }
    session.end((answersOurs ? "logged out" : "the counterparty logged out") + (text.isEmpty() ? "" : ": " + text));
  }

  /**
   * Handled whatever its number is: the counterparty may wait for our messages before it sends those we wait for. After
   * that the messages before it are asked for, as the specification has it ("Message Recovery").
   */
  private void receiveResendRequest(MessageView message, long number) {
    if (!session.verifier().verify(message, number, false, true)) {
      return;
    }
    long begin = Math.max(1, message.integer(Tag.BEGIN_SEQ_NO));
    long end = message.integer(Tag.END_SEQ_NO);
    boolean isBeyondGap = number > session.store().nextInbound();
    long lastSent = session.out().hold(); // what is sent from now on follows the replay
    boolean toTheLast = end == 0 || end > lastSent || (end == OLD_INFINITY && hasOldInfinity);
    long last = toTheLast ? lastSent : end;
    session.reporter().resendRequestReceived(begin, last);
    session.advance(message, number);
    if (begin <= last && state.isConnected()) {
      session.resender().begin(begin, last);
      // At once: what came together with the request, a Logout for example, is handled after it.
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
    if (state.isResetAwaited()) { // of before the reset: the store has begun anew already
      session.resets().expectOfBefore(Math.max(newSeqNo, session.resets().expectedOfBefore()));
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
