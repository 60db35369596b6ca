package dev.decant.fix.session;

import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives Logon(A), with its sequence number fields ResetSeqNumFlag(141) and NextExpectedMsgSeqNum(789).
 * Owner of the session only.
 */
final class LogonExchange {
  private static final int LONGEST_INTERVAL_SECONDS = 24 * 60 * 60;
  private static final String NO_RESET = "the counterparty did not reset its sequence numbers,"
      + " as ResetSeqNumFlag wants";

  private final SessionProtocol session;
  private final SessionState state;
  private final SessionSettings settings;
  private final boolean hasResetFlag;
  private final boolean isFixt;
  /** NextExpectedMsgSeqNum(789) of our last Logon(A); 0 if it had none. */
  private long nextExpectedSent;

  LogonExchange(SessionProtocol session, SessionState state, SessionSettings settings) {
    this.session = session;
    this.state = state;
    this.settings = settings;
    this.hasResetFlag = ResetExchange.hasResetFlag(settings.id());
    this.isFixt = settings.id().beginString().startsWith("FIXT");
  }

  /** Sends the Logon(A) of an initiator. */
  void initiate() {
    boolean anew = settings.resetOnLogon() || session.resets().isRequested();
    // Until this Logon is sent, no message of a thread gets a number: the reset would discard it.
    if (anew && !numbersAreNew() && !session.reset()) {
      return;
    }
    boolean alwaysNew = anew || settings.resetOnLogout() || settings.resetOnDisconnect();
    boolean resetFlag = hasResetFlag && numbersAreNew() && alwaysNew;
    nextExpectedSent = settings.nextExpectedMsgSeqNum() ? session.store().nextInbound() : 0;
    long seconds = session.heartbeats().intervalSeconds();
    boolean isSent = begin(seconds, resetFlag) && (resetFlag ? session.sendFirstLogon() : session.sendLogon(false));
    // Another thread has stored a message as number 1, so this logon cannot reset the numbers.
    if (!isSent && state.isConnected()) {
      resetFlag = false;
      isSent = begin(seconds, false) && session.sendLogon(false);
    }
    if (isSent) {
      state.logonSent();
    }
    state.resetSent(resetFlag);
  }

  private boolean numbersAreNew() {
    return session.store().nextOutbound() == 1 && session.store().nextInbound() == 1;
  }

  /** Sends the response to a Logon(A), and resets the numbers before if {@code resetFirst}. */
  private boolean respond(long heartbeatSeconds, boolean resetFlag, boolean resetFirst) {
    if (!begin(heartbeatSeconds, resetFlag) || !session.sendLogon(resetFirst)) {
      return false;
    }
    state.logonSent();
    return true;
  }

  /**
   * Builds the body of a Logon(A). The application adds its fields before the message gets a number, since it may take
   * long. Returns false if the application failed; then the session has ended.
   */
  private boolean begin(long heartbeatSeconds, boolean resetFlag) {
    FieldWriter logon = session.out().beginAdmin();
    logon.character(Tag.ENCRYPT_METHOD, '0').integer(Tag.HEART_BT_INT, heartbeatSeconds);
    if (resetFlag) {
      logon.flag(Tag.RESET_SEQ_NUM_FLAG, true);
    }
    if (nextExpectedSent != 0) {
      logon.integer(Tag.NEXT_EXPECTED_MSG_SEQ_NUM, nextExpectedSent);
    }
    if (isFixt) {
      logon.text(Tag.DEFAULT_APPL_VER_ID, settings.defaultApplVerId());
    }
    return complete(logon);
  }

  /** Lets the application add its fields. Returns false if the application failed; then the session has ended. */
  private boolean complete(FieldWriter logon) {
    try {
      session.callbacks().completeLogon(logon);
      return true;
    } catch (Throwable e) {
      UserFailure.survive("the application failed over the Logon to be sent of " + settings.id(), e);
      session.end("the application failed over the Logon to be sent: " + UserFailure.shown(e));
      return false;
    }
  }

  /**
   * Asks the authenticator about the first Logon(A) of a connection. That is the Logon of a counterparty that has
   * connected, or the response to ours. None of its fields has taken effect before. A stranger with a wrong password
   * must not change a number: once, it locked the counterparty out. Returns false if the Logon is refused; then the
   * session has ended. Returns true for every other message.
   */
  boolean admits(MessageView message) {
    boolean isKnown = state.isInitiator() ? state.isLogonReceived() : state.isAdmitted();
    if (message.msgTypeKey() != MsgType.LOGON || isKnown) {
      return true;
    }
    String refusal;
    try {
      refusal = session.user().refuseLogon(message);
    } catch (FieldException e) {
      refusal = String.valueOf(e.getMessage());
    } catch (Throwable e) {
      UserFailure.survive("the authenticator failed over a Logon of " + settings.id(), e);
      refusal = "the logon cannot be checked now";
    }
    if (refusal != null) {
      if (state.isInitiator()) {
        refuseResponse(message, SessionText.shown(refusal));
      } else {
        session.endUnadmitted(refusal);
      }
      return false;
    }
    state.admitted();
    return true;
  }

  /** Handles a Logon(A) of the counterparty. */
  void receive(MessageView logon, long number) {
    String refusal = refusal(logon, number);
    if (refusal == null && number != 1 && logon.flag(Tag.RESET_SEQ_NUM_FLAG, false)) {
      refusal = "ResetSeqNumFlag is Y, so MsgSeqNum must be 1, not " + number;
    }
    if (refusal != null) {
      refuse(refusal);
      return;
    }
    if (state.isResetAwaited()) {
      follow(logon, number);
      return;
    }
    if (session.resets().isRequested() && number != 1 && !state.isInitiator() && !state.isLogonReceived()) {
      respondWithReset(logon, number);
      return;
    }
    boolean inferred = state.isResetSent() && number == 1 && !logon.has(Tag.RESET_SEQ_NUM_FLAG);
    state.resetReceived(logon.flag(Tag.RESET_SEQ_NUM_FLAG, false) || inferred);
    boolean resetOnThis = settings.resetOnLogon() && !state.isInitiator() && !state.isLogonReceived();
    if (!session.verifier().verify(logon, number, false, !resetOnThis)) {
      state.resetReceived(false); // It would end the checks of all further numbers.
      return;
    }
    if (state.isInitiator() && !state.isLogonSent()) {
      session.end("a Logon came before ours was sent");
      return;
    }
    boolean resetsNow = (state.isResetReceived() && !state.isResetSent())
        || (!state.isInitiator() && settings.resetOnLogon());
    // A Logon after the first one resets numbers within the session, and gets a response.
    boolean respondsToOurs = state.isInitiator() && !state.isLogonReceived();
    if (resetsNow && respondsToOurs && !session.reset()) {
      return;
    }
    accept(logon, number, respondsToOurs, resetsNow && !respondsToOurs);
  }

  /** Handles the Logon(A) by which the counterparty follows a reset of this end. */
  private void follow(MessageView logon, long number) {
    if (number != 1) {
      session.end(NO_RESET);
    } else if (session.verifier().verify(logon, number, false, true)) {
      session.advance(logon, number);
    }
  }

  /**
   * Responds to a counterparty that has kept its numbers while this end has reset its own. Without the flag, the
   * counterparty would find the response's number too low. It would end each further logon for the same reason.
   */
  private void respondWithReset(MessageView logon, long number) {
    if (!session.verifier().verify(logon, number, false, false)) {
      return;
    }
    if (!hasResetFlag) {
      session.endUnadmitted("sequence numbers were reset to 1 here, reset yours, too: MsgSeqNum is " + number);
      return;
    }
    state.logonReceived();
    session.heartbeats().interval(logon.integer(Tag.HEART_BT_INT));
    session.reporter().notice("numbers were reset, and the counterparty logs on with MsgSeqNum " + number
        + ": asked it by ResetSeqNumFlag(141)=Y to reset its own");
    if (sendReset(!numbersAreNew())) {
      state.logonSent();
      session.resets().awaitFollower(number + 1);
    }
  }

  /**
   * Sends a Logon(A) with ResetSeqNumFlag(141) and number 1 within the session. Returns false if the session has ended.
   */
  boolean sendReset() {
    return sendReset(true);
  }

  private boolean sendReset(boolean resetFirst) {
    nextExpectedSent = settings.nextExpectedMsgSeqNum() ? 1 : 0;
    return begin(session.heartbeats().intervalSeconds(), true) && session.sendLogon(resetFirst);
  }

  private @Nullable String refusal(MessageView logon, long number) {
    long seconds = logon.integer(Tag.HEART_BT_INT);
    if (seconds < 0 || seconds > LONGEST_INTERVAL_SECONDS) {
      return "HeartBtInt must not be negative or more than a day";
    }
    if (logon.integer(Tag.ENCRYPT_METHOD, 0) != 0) {
      return "EncryptMethod must be 0";
    }
    if (isFixt && !logon.has(Tag.DEFAULT_APPL_VER_ID)) {
      throw new FieldException(Tag.DEFAULT_APPL_VER_ID, RejectReason.REQUIRED_TAG_MISSING,
          "the Logon has no DefaultApplVerID");
    }
    String unknown = session.validity().unknownApplVerId(logon, number);
    return unknown == null ? null : "Invalid DefaultApplVerID=" + SessionText.shown(unknown);
  }

  /**
   * Ends the connection because the authenticator refuses the response to our Logon(A). The numbers of Logon and
   * response count, because the counterparty has accepted our Logon.
   */
  private void refuseResponse(MessageView logon, String reason) {
    session.reporter().notice("refused a logon: " + reason);
    session.sendLogout(reason);
    session.advance(logon, logon.integer(Tag.MSG_SEQ_NUM));
    session.end("refused the logon: " + reason);
  }

  private void refuse(String reason) {
    session.reporter().notice("refused a logon: " + reason);
    session.sendLogout(reason);
    session.end("refused the logon: " + reason);
  }

  /** Accepts a Logon(A). It is the response to ours, or it gets one, after a reset if {@code resetFirst}. */
  private void accept(MessageView logon, long number, boolean respondsToOurs, boolean resetFirst) {
    state.logonReceived();
    long sentBefore = resetFirst ? 1 : session.store().nextOutbound();
    long expected = resetFirst ? 1 : session.store().nextInbound();
    boolean inSequence = number <= expected || settings.resetOnLogon();
    long wanted = settings.nextExpectedMsgSeqNum() ? logon.integer(Tag.NEXT_EXPECTED_MSG_SEQ_NUM, sentBefore) : 0;
    if (wanted > sentBefore) {
      String reason = "NextExpectedMsgSeqNum is " + wanted + ", but only numbers below " + sentBefore + " were sent";
      session.sendLogout(reason);
      session.end(reason);
      return;
    }
    if (!respondsToOurs) {
      session.heartbeats().interval(logon.integer(Tag.HEART_BT_INT));
      nextExpectedSent = settings.nextExpectedMsgSeqNum() ? expected + (inSequence ? 1 : 0) : 0;
      if (!respond(logon.integer(Tag.HEART_BT_INT), state.isResetReceived(), resetFirst)) {
        return;
      }
    } else if (state.isResetSent() && !state.isResetReceived()) {
      session.end(NO_RESET);
      return;
    }
    session.resets().agreed();
    state.resetSent(false);
    state.resetReceived(false);
    takeNumber(logon, number, inSequence);
    if (wanted > 0 && state.isConnected()) {
      if (wanted < sentBefore) { // Our response to the Logon is among the messages that the replay skips.
        session.resender().begin(wanted, session.out().hold());
      }
    }
    if (state.isLoggedOn()) {
      session.loggedOn();
    }
  }

  private void takeNumber(MessageView logon, long number, boolean inSequence) {
    if (inSequence) {
      session.advance(logon, number);
      return;
    }
    // The counterparty knows from our NextExpectedMsgSeqNum(789) what is missing: a ResendRequest would bring it twice.
    if (nextExpectedSent != 0) {
      session.gap().assumeRequested(nextExpectedSent, number - 1);
    }
    session.gap().tooHigh(logon, number);
  }
}
