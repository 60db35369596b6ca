package dev.decant.fix.quickfix;

import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.settings.TimestampPrecision;
import java.nio.ByteBuffer;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import quickfix.Application;
import quickfix.DoNotSend;
import quickfix.FieldNotFound;
import quickfix.Message;
import quickfix.SessionID;
import quickfix.UtcTimestampPrecision;
import quickfix.field.BeginString;
import quickfix.field.MsgSeqNum;
import quickfix.field.OrigSendingTime;
import quickfix.field.PossDupFlag;
import quickfix.field.SenderCompID;
import quickfix.field.SenderLocationID;
import quickfix.field.SenderSubID;
import quickfix.field.SendingTime;
import quickfix.field.TargetCompID;
import quickfix.field.TargetLocationID;
import quickfix.field.TargetSubID;
import quickfix.field.Text;

/**
 * Sends messages of QuickFIX/J on a session. {@code toApp} gets them one at a time. A sending thread that waits for
 * room in the output does not delay others. Any thread.
 */
final class SessionSender {
  /** The objects that one thread needs to send. */
  private static final class Writer {
    final OutboundMessage out;
    final MessageView view;

    Writer(OutboundMessage out, MessageView view) {
      this.out = out;
      this.view = view;
    }
  }

  private final Session session;
  private final Application application;
  private final UtcTimestampPrecision precision;
  private final Object lock = new Object();
  @SuppressWarnings("ThreadLocalUsage") // a writer belongs to one session and one thread
  private final ThreadLocal<Writer> writers = new ThreadLocal<>();

  SessionSender(Session session, Application application) {
    this.session = session;
    this.application = application;
    this.precision = precision(session.settings().timestampPrecision());
  }

  private static UtcTimestampPrecision precision(TimestampPrecision of) {
    return UtcTimestampPrecision.valueOf(of.name());
  }

  boolean send(FixSession decant, Message message, boolean allowPosDup) {
    String type;
    try {
      type = message.getHeader().getString(quickfix.field.MsgType.FIELD);
    } catch (FieldNotFound e) {
      throw new IllegalArgumentException("the message has no MsgType(35)", e);
    }
    int key = MsgType.key(type);
    if (MsgType.isAdmin(key) && !isSentAsItIs(decant, message, key)) {
      return false;
    }
    Writer writer = writer(decant);
    synchronized (lock) {
      if (!complete(decant, message, key, allowPosDup)) {
        return false;
      }
      byte[] bytes = MessageConversion.bytes(message);
      int problem = writer.view.parse(ByteBuffer.wrap(bytes), 0, bytes.length, false);
      if (problem != MessageView.OK) {
        throw new IllegalArgumentException("the message cannot be sent: " + MessageView.problem(problem)
            + ". A value may hold the delimiter");
      }
    }
    return send(decant, writer, message, key, allowPosDup);
  }

  private Writer writer(FixSession decant) {
    Writer writer = writers.get();
    if (writer == null) {
      writer = new Writer(decant.newMessage(), new MessageView(session.settings().dataFields()));
      writers.set(writer);
    }
    return writer;
  }

  /**
   * Returns true if a session message of the application is sent: a Heartbeat(0), TestRequest(1) or Reject(3). A
   * Logout(5) becomes a logout request. All others are refused, because the session sends its own.
   */
  private boolean isSentAsItIs(FixSession decant, Message message, int key) {
    if (key == MsgType.LOGOUT) {
      try {
        session.logout(message.isSetField(Text.FIELD) ? message.getString(Text.FIELD) : "");
      } catch (FieldNotFound e) {
        throw new IllegalStateException(e);
      }
      return false;
    }
    boolean isAllowed = key == MsgType.HEARTBEAT || key == MsgType.TEST_REQUEST || key == MsgType.REJECT;
    if (!isAllowed) {
      session.getLog().onErrorEvent("MsgType " + MsgType.text(key) + " is the session's own: the message of the"
          + " application is not sent. Call logon, logout, reset or the setters of sequence numbers");
    }
    return isAllowed && decant.isLoggedOn();
  }

  /** Sets the header, and lets the application complete the message. Returns false if the message must not be sent. */
  private boolean complete(FixSession decant, Message message, int key, boolean allowPosDup) {
    Message.Header header = message.getHeader();
    fillHeader(header, session.getSessionID());
    header.setInt(MsgSeqNum.FIELD, (int) decant.nextOutbound());
    header.setUtcTimeStamp(SendingTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), precision);
    if (!allowPosDup) {
      header.removeField(PossDupFlag.FIELD);
      header.removeField(OrigSendingTime.FIELD);
    }
    try {
      if (MsgType.isAdmin(key)) {
        application.toAdmin(message, session.getSessionID());
      } else {
        application.toApp(message, session.getSessionID());
      }
    } catch (DoNotSend e) {
      return false;
    } catch (RuntimeException e) { // QuickFIX/J logs the failure and sends the message, too.
      session.getLog().onErrorEvent("the application failed over a message that is to be sent: " + e);
    }
    return true;
  }

  static void fillHeader(Message.Header header, SessionID id) {
    header.setString(BeginString.FIELD, id.getBeginString());
    header.setString(SenderCompID.FIELD, id.getSenderCompID());
    setIfAny(header, SenderSubID.FIELD, id.getSenderSubID());
    setIfAny(header, SenderLocationID.FIELD, id.getSenderLocationID());
    header.setString(TargetCompID.FIELD, id.getTargetCompID());
    setIfAny(header, TargetSubID.FIELD, id.getTargetSubID());
    setIfAny(header, TargetLocationID.FIELD, id.getTargetLocationID());
  }

  private static void setIfAny(Message.Header header, int tag, String value) {
    if (!value.isEmpty()) {
      header.setString(tag, value);
    }
  }

  private boolean send(FixSession decant, Writer writer, Message message, int key, boolean allowPosDup) {
    OutboundMessage out = writer.out;
    SendStatus status = out.begin(key, writer.view.messageTo());
    if (status == SendStatus.OK) {
      session.conversion().write(writer.view, allowPosDup, out);
      long number = out.send();
      if (number > 0) {
        message.getHeader().setInt(MsgSeqNum.FIELD, (int) number);
        return decant.isLoggedOn();
      }
      out.abort();
      status = SendStatus.of(number);
    }
    if (status == SendStatus.LOGGED_OUT || status == SendStatus.CLOSED) {
      session.getLog().onEvent("not logged on, and the numbers are to be reset or the schedule is closed: a message"
          + " is neither sent nor stored");
      return false;
    }
    throw new IllegalStateException(status == SendStatus.STORE_FAILED
        ? "the message is not sent, the store takes nothing: " + decant.storeFailure()
        : "the message is not sent, the counterparty of " + session + " reads too slowly");
  }
}
