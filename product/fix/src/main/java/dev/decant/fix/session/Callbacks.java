package dev.decant.fix.session;

import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.settings.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * Calls the application where a failure of its own is no matter of the session: it is logged, and the session goes on.
 * Owner of the session only.
 */
final class Callbacks {
  private final SessionUser user;
  private final SessionId id;
  /** The application is asked about a message that is being made. */
  private boolean isAsked;

  Callbacks(SessionUser user, SessionId id) {
    this.user = user;
    this.id = id;
  }

  /**
   * Whether the application is asked about a message that is being made. It may send meanwhile, and room is made for
   * that: no other message of the session may be made then, since all are made in the same memory.
   */
  boolean isAsked() {
    return isAsked;
  }

  /** Whether a message may be sent again: yes, if the application cannot tell. */
  boolean mayResend(MessageView kept) {
    isAsked = true;
    try {
      return user.mayResend(kept);
    } catch (Throwable e) {
      failed("over a message that is sent again", e);
      return true;
    } finally {
      isAsked = false;
    }
  }

  /** Lets the application add fields to a message of the session. They are written whole or not at all. */
  void completeAdmin(int msgType, FieldWriter fields) {
    isAsked = true;
    try {
      user.completeAdmin(msgType, fields);
    } catch (Throwable e) {
      failed("over MsgType " + MsgType.text(msgType) + " that is to be sent", e);
    } finally {
      isAsked = false;
    }
  }

  /** Lets the application add fields to a Logon(A). Its failure is the caller's. */
  void completeLogon(FieldWriter logon) {
    isAsked = true;
    try {
      user.completeLogon(logon);
    } finally {
      isAsked = false;
    }
  }

  /** Shows a message of the session layer; returns what the application finds wrong with it, null for nothing. */
  @Nullable
  FieldException onAdmin(MessageView message) {
    try {
      user.onAdmin(message);
    } catch (FieldException e) {
      return e;
    } catch (Throwable e) {
      failed("over a session message", e);
    }
    return null;
  }

  boolean wantsSent() {
    return user.wantsSent();
  }

  void onSent(MessageView message) {
    try {
      user.onSent(message);
    } catch (Throwable e) {
      failed("over a message that is sent", e);
    }
  }

  private void failed(String where, Throwable e) {
    UserFailure.survive("the application of session " + id + " failed " + where, e);
  }
}
