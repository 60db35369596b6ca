package dev.decant.fix.session;

import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.settings.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * Calls the application where its failure must not affect the session: the failure is logged, and the session
 * continues. Owner of the session only.
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

  /** Returns true if the message may be resent. A failure of the application counts as consent. */
  boolean mayResend(MessageView kept) {
    try {
      return user.mayResend(kept);
    } catch (Throwable e) {
      failed("over a message that is sent again", e);
      return true;
    }
  }

  /** Lets the application add fields to a session message. If it fails, none of its fields are sent. */
  void completeAdmin(int msgType, FieldWriter fields) {
    bodies.beginCallback();
    try {
      user.completeAdmin(msgType, fields);
    } catch (Throwable e) {
      failed("over MsgType " + MsgType.text(msgType) + " that is to be sent", e);
    } finally {
      bodies.endCallback();
    }
  }

  /** Lets the application add fields to a Logon(A). The caller handles a failure. */
  void completeLogon(FieldWriter logon) {
    bodies.beginCallback();
    try {
      user.completeLogon(logon);
    } finally {
      bodies.endCallback();
    }
  }

  /** Shows a session message to the application. Returns the fault that the application finds, or null. */
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
