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
  private final AdminBodies bodies;

  Callbacks(SessionUser user, SessionId id, AdminBodies bodies) {
    this.user = user;
    this.id = id;
    this.bodies = bodies;
  }

  /** Whether a message may be sent again: yes, if the application cannot tell. */
  boolean mayResend(MessageView kept) {
    try {
      return user.mayResend(kept);
    } catch (Throwable e) {
      failed("over a message that is sent again", e);
      return true;
    }
  }

  /** Lets the application add fields to a message of the session. They are written whole or not at all. */
  void completeAdmin(int msgType, FieldWriter fields) {
    bodies.ask();
    try {
      user.completeAdmin(msgType, fields);
    } catch (Throwable e) {
      failed("over MsgType " + MsgType.text(msgType) + " that is to be sent", e);
    } finally {
      bodies.told();
    }
  }

  /** Lets the application add fields to a Logon(A). Its failure is the caller's. */
  void completeLogon(FieldWriter logon) {
    bodies.ask();
    try {
      user.completeLogon(logon);
    } finally {
      bodies.told();
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
