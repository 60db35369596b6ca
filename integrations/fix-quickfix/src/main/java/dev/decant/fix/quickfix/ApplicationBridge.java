package dev.decant.fix.quickfix;

import dev.decant.fix.Application;
import dev.decant.fix.Authenticator;
import dev.decant.fix.FixSession;
import dev.decant.fix.Peer;
import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import quickfix.ApplicationExtended;
import quickfix.DoNotSend;
import quickfix.FieldNotFound;
import quickfix.IncorrectDataFormat;
import quickfix.IncorrectTagValue;
import quickfix.Message;
import quickfix.RejectLogon;
import quickfix.UnsupportedMessageType;
import quickfix.field.ResetSeqNumFlag;

/**
 * Delivers the callbacks of Decant's sessions to an application of QuickFIX/J. An exception of the application leads to
 * the same reject as in QuickFIX/J.
 *
 * <pre>
 *   Decant                      QuickFIX/J
 *   refuse (the first Logon)    fromAdmin, RejectLogon
 *   onSessionMessage            fromAdmin
 *   onSessionMessageToBeSent    toAdmin
 *   onMessage                   fromApp
 *   mayResend                   toApp, DoNotSend
 * </pre>
 *
 * <p>Owner of the session's loop only. If a template creates the session, the owner of the acceptor's loop calls
 * {@link #refuse}.
 */
final class ApplicationBridge implements Application, Authenticator {
  private static final String LOGON = "A";

  private final quickfix.Application application;
  private final CallbackThread callbacks;
  private final Function<SessionId, Session> sessions;

  ApplicationBridge(ConnectorParts parts, Function<SessionId, Session> sessions) {
    this.application = parts.application();
    this.callbacks = parts.callbacks();
    this.sessions = sessions;
  }

  private Session session(FixSession decant) {
    Session session = sessions.apply(decant.id());
    session.bind(decant);
    return session;
  }

  @Override
  public void onLogon(FixSession decant) {
    boolean before = callbacks.begin();
    try {
      application.onLogon(session(decant).getSessionID());
    } finally {
      callbacks.end(before);
    }
  }

  @Override
  public void onLogout(FixSession decant, String reason) {
    Session session = session(decant);
    if (!session.isCreated()) {
      return; // The attempt to connect ended before the application knew of the session.
    }
    session.getLog().onEvent("Disconnected: " + reason);
    if (!session.takeLogon()) {
      return; // As in QuickFIX/J, the end of a connection whose Logon was refused is no logout.
    }
    boolean before = callbacks.begin();
    try {
      application.onLogout(session.getSessionID());
    } finally {
      callbacks.end(before);
    }
  }

  @Override
  public void onMessage(FixSession decant, MessageView view) {
    Session session = session(decant);
    boolean before = callbacks.begin();
    try {
      application.fromApp(session.conversion().parse(view), session.getSessionID());
    } catch (UnsupportedMessageType e) {
      decant.rejectBusiness(view, RejectReason.BUSINESS_UNSUPPORTED_MESSAGE_TYPE, null);
    } catch (FieldNotFound e) {
      throw rejected(e.field, RejectReason.REQUIRED_TAG_MISSING, e);
    } catch (IncorrectTagValue e) {
      throw rejected(e.getField(), RejectReason.VALUE_IS_INCORRECT, e);
    } catch (IncorrectDataFormat e) {
      throw rejected(e.getField(), RejectReason.INCORRECT_DATA_FORMAT, e);
    } catch (quickfix.FieldException e) {
      throw rejected(e.getField(), e.getSessionRejectReason(), e);
    } finally {
      callbacks.end(before);
    }
  }

  private static FieldException rejected(int tag, int reason, Exception cause) {
    FieldException rejection = new FieldException(tag, reason, String.valueOf(cause.getMessage()));
    rejection.initCause(cause);
    return rejection;
  }

  @Override
  public boolean mayResend(FixSession decant, MessageView view) {
    Session session = session(decant);
    boolean before = callbacks.begin();
    try {
      Message message = session.conversion().parse(view);
      message.getHeader().setBoolean(Tag.POSS_DUP_FLAG, true);
      message.getHeader().setString(Tag.ORIG_SENDING_TIME, view.string(Tag.SENDING_TIME));
      application.toApp(message, session.getSessionID());
      return true;
    } catch (DoNotSend e) {
      return false;
    } finally {
      callbacks.end(before);
    }
  }

  @Override
  public void onLogonToBeSent(FixSession decant, FieldWriter logon) {
    Session session = session(decant);
    session.logonExchanged();
    session.section().writeLogonFields(logon);
  }

  @Override
  public void onSessionMessageToBeSent(FixSession decant, String msgType, FieldWriter fields) {
    Session session = session(decant);
    boolean before = callbacks.begin();
    try {
      Message message = session.conversion().admin(msgType);
      MessageConversion.copyFields(fields.buffer(), fields.start(), fields.position(), message);
      boolean resets = message.isSetField(ResetSeqNumFlag.FIELD);
      SessionSender.fillHeader(message.getHeader(), session.getSessionID());
      message.getHeader().setInt(Tag.MSG_SEQ_NUM, session.getExpectedSenderNum());
      application.toAdmin(message, session.getSessionID());
      if (msgType.equals(LOGON) && !resets && message.isSetField(ResetSeqNumFlag.FIELD)) {
        message.removeField(ResetSeqNumFlag.FIELD);
        session.getLog().onErrorEvent("toAdmin has set ResetSeqNumFlag(141), which is not sent: set ResetOnLogon=Y,"
            + " or call Session.reset()");
      }
      rewrite(session, message, fields);
    } finally {
      callbacks.end(before);
    }
  }

  /** Replaces the fields of a session message by those that the application has left or added. */
  private static void rewrite(Session session, Message message, FieldWriter fields) {
    byte[] bytes = MessageConversion.bytes(message);
    MessageView view = new MessageView(session.settings().dataFields());
    int problem = view.parse(ByteBuffer.wrap(bytes), 0, bytes.length, false);
    int room = fields.buffer().capacity() - fields.start();
    if (problem != MessageView.OK || bytes.length > room) {
      throw new IllegalArgumentException("toAdmin has left a message that cannot be sent: "
          + (problem != MessageView.OK ? MessageView.problem(problem) : bytes.length + " bytes"));
    }
    fields.wrap(fields.buffer(), fields.start(), fields.buffer().capacity());
    session.conversion().write(view, false, fields);
  }

  @Override
  public void onSessionMessage(FixSession decant, MessageView view) {
    Session session = session(decant);
    if (view.msgTypeKey() == MsgType.LOGON) {
      session.conversion().takeVersion(view);
      if (session.takeAdmitted()) {
        return; // fromAdmin has had the message already, in the decision about the logon.
      }
    }
    boolean before = callbacks.begin();
    try {
      application.fromAdmin(session.conversion().parse(view), session.getSessionID());
    } catch (FieldNotFound e) {
      throw rejected(e.field, RejectReason.REQUIRED_TAG_MISSING, e);
    } catch (IncorrectTagValue e) {
      throw rejected(e.getField(), RejectReason.VALUE_IS_INCORRECT, e);
    } catch (IncorrectDataFormat e) {
      throw rejected(e.getField(), RejectReason.INCORRECT_DATA_FORMAT, e);
    } catch (quickfix.FieldException e) {
      throw rejected(e.getField(), e.getSessionRejectReason(), e);
    } catch (RejectLogon e) {
      session.getLog().onErrorEvent("fromAdmin has refused a message that is no logon, which is obeyed: " + e);
    } finally {
      callbacks.end(before);
    }
  }

  @Override
  public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
    Session session = sessions.apply(id);
    if (!session.isCreated()) {
      return "the session is being started";
    }
    if (application instanceof ApplicationExtended extended && !extended.canLogon(session.getSessionID())) {
      return "no logons now";
    }
    boolean before = callbacks.begin();
    try {
      application.fromAdmin(session.conversion().parse(logon), session.getSessionID());
      session.admit();
      return null;
    } catch (RejectLogon e) {
      return e.getMessage() == null ? "logon refused" : e.getMessage();
    } catch (FieldNotFound e) {
      return "field " + e.field + " is missing";
    } catch (IncorrectDataFormat e) {
      return "the format of field " + e.getField() + " is incorrect";
    } catch (IncorrectTagValue e) {
      return "the value of field " + e.getField() + " is incorrect";
    } finally {
      callbacks.end(before);
    }
  }
}
