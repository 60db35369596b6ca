package dev.decant.fix.session;

import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.time.Timeouts;

/**
 * Checks each message before it takes effect: state, SendingTime, CompIDs, sequence number, then the fields of a
 * possible duplicate. Owner of the session only.
 */
final class MessageVerifier {
  private final SessionProtocol session;
  private final SessionState state;
  private final SessionSettings settings;
  private final SessionId id;
  private final long maxLatencyNanos;

  MessageVerifier(SessionProtocol session, SessionState state, SessionSettings settings) {
    this.session = session;
    this.state = state;
    this.settings = settings;
    this.id = settings.id();
    this.maxLatencyNanos = Timeouts.nanos(settings.maxLatency());
  }

  /**
   * Returns true if the message passes. Otherwise it is already rejected, queued or skipped, and the caller does
   * nothing more with it.
   */
  boolean verify(MessageView message, long number, boolean checkTooHigh, boolean checkTooLow) {
    int type = message.msgTypeKey();
    if (!mayComeNow(type)) {
      session.end("MsgType " + MsgType.text(type) + " came while " + (state.isLogonReceived()
          ? "logged on"
          : "not logged on"));
      return false;
    }
    if (!isTimely(message) && !allows(settings.checkLatency(), Leniency.LATENCY, number, Tag.SENDING_TIME)) {
      refuse(message, number, RejectReason.SENDING_TIME_ACCURACY_PROBLEM, Tag.SENDING_TIME);
      return false;
    }
    if ((!namesTheEnds(message) && !allows(settings.checkCompIds(), Leniency.COMP_ID, number, Tag.SENDER_COMP_ID))
        || (settings.checkSubIds() && !namesTheSubIds(message))) {
      refuse(message, number, RejectReason.COMP_ID_PROBLEM, RejectMessages.NO_TAG);
      return false;
    }
    boolean possDup = message.flag(Tag.POSS_DUP_FLAG, false);
    if (state.isResetAwaited() && number == 1 && !possDup && !session.resets().followed()) {
      return false;
    }
    if (!state.isResetReceived() && !isInSequence(message, number, checkTooHigh, checkTooLow, possDup)) {
      return false;
    }
    if (possDup && !isGoodDuplicate(message, number)) {
      return false;
    }
    if (checkTooHigh) {
      session.gap().taken(number);
    }
    if (type != MsgType.LOGON && type != MsgType.LOGOUT) {
      state.established();
    }
    return MsgType.isAdmin(type) ? isApproved(message, number, type) : state.isConnected();
  }

  /**
   * Shows a session message to the application, which may find a field wrong. Then the message is rejected, and has no
   * effect. Three types take effect in spite of that. The authenticator decides about a Logon(A). A counterparty waits
   * for the response to its Logout(5). A Reject(3) is never rejected.
   */
  private boolean isApproved(MessageView message, long number, int type) {
    FieldException wrong = session.callbacks().onAdmin(message);
    if (wrong == null || !state.isConnected()) {
      return state.isConnected();
    }
    if (type == MsgType.LOGON || type == MsgType.LOGOUT || type == MsgType.REJECT) {
      session.reporter().notice("the application finds message " + number + " invalid, which is obeyed: "
          + UserFailure.shown(wrong));
      return true;
    }
    session.reject(message, number, wrong.reason(), wrong.tag(), null);
    return false;
  }

  private boolean isInSequence(MessageView message, long number, boolean checkTooHigh, boolean checkTooLow,
      boolean possDup) {
    boolean isBeforeReset = state.isResetAwaited();
    long expected = isBeforeReset ? session.resets().expectedBeforeReset() : session.store().nextInbound();
    if (checkTooHigh && number > expected) {
      if (isBeforeReset) {
        session.reporter().notice("message " + number + " is passed over: it is of before the reset of the sequence"
            + " numbers, and " + expected + " was expected");
      } else {
        session.gap().tooHigh(message, number);
      }
      return false;
    }
    if (checkTooLow && number < expected) {
      tooLow(message, number, expected, possDup);
      return false;
    }
    if (isBeforeReset && number == expected) {
      session.resets().expectBeforeReset(number + 1);
    }
    return true;
  }

  /** Counts a message that breaks a rule, if the settings do not enforce that rule. Returns false if they do. */
  private boolean allows(boolean isChecked, Leniency leniency, long number, int tag) {
    if (isChecked) {
      return false;
    }
    session.validity().counts().add(leniency, number, tag);
    return true;
  }

  private boolean mayComeNow(int type) {
    if (type == MsgType.LOGON) {
      return !state.isLogonReceived() || state.isResetSent() || state.isResetReceived();
    }
    return state.isLogonReceived() || (type == MsgType.LOGOUT && state.isLogonSent());
  }

  private boolean isTimely(MessageView message) {
    long sent = message.timestamp(Tag.SENDING_TIME);
    return maxLatencyNanos == 0
        || Math.abs(session.time().epochNanos() - sent) / 1_000_000_000L <= maxLatencyNanos / 1_000_000_000L;
  }

  private boolean namesTheEnds(MessageView message) {
    return message.contentEquals(Tag.SENDER_COMP_ID, id.targetCompId())
        && message.contentEquals(Tag.TARGET_COMP_ID, id.senderCompId());
  }

  private boolean namesTheSubIds(MessageView message) {
    return isNamed(message, Tag.SENDER_SUB_ID, id.targetSubId())
        && isNamed(message, Tag.SENDER_LOCATION_ID, id.targetLocationId())
        && isNamed(message, Tag.TARGET_SUB_ID, id.senderSubId())
        && isNamed(message, Tag.TARGET_LOCATION_ID, id.senderLocationId());
  }

  private static boolean isNamed(MessageView message, int tag, String expected) {
    return expected.isEmpty() || message.contentEquals(tag, expected);
  }

  private void refuse(MessageView message, long number, int reason, int tag) {
    String text = RejectReason.sessionText(reason);
    if (message.msgTypeKey() == MsgType.LOGON) {
      session.refuseLogon(text);
    } else if (session.reject(message, number, reason, tag, null)) {
      session.sendLogout(text);
    }
  }

  private void tooLow(MessageView message, long number, long expected, boolean possDup) {
    if (possDup) {
      isGoodDuplicate(message, number);
      return; // A duplicate of a message that was handled before: it has no further effect.
    }
    String text = "MsgSeqNum too low, expecting " + expected + " but received " + number;
    session.sendLogout(text);
    session.end(text);
  }

  /**
   * FIX session test cases 2f and 2g: a possible duplicate must have OrigSendingTime(122), and that must not be later
   * than SendingTime(52).
   */
  private boolean isGoodDuplicate(MessageView message, long number) {
    if (message.msgTypeKey() == MsgType.SEQUENCE_RESET) {
      return true;
    }
    if (!message.has(Tag.ORIG_SENDING_TIME)) {
      if (allows(settings.requireOrigSendingTime(), Leniency.ORIG_SENDING_TIME, number, Tag.ORIG_SENDING_TIME)) {
        return true;
      }
      session.reject(message, number, RejectReason.REQUIRED_TAG_MISSING, Tag.ORIG_SENDING_TIME, null);
      return false;
    }
    long first = message.timestamp(Tag.ORIG_SENDING_TIME);
    if (first > message.timestamp(Tag.SENDING_TIME)) {
      if (session.reject(message, number, RejectReason.SENDING_TIME_ACCURACY_PROBLEM, Tag.ORIG_SENDING_TIME, null)) {
        session.sendLogout(RejectReason.sessionText(RejectReason.SENDING_TIME_ACCURACY_PROBLEM));
      }
      return false;
    }
    return true;
  }
}
