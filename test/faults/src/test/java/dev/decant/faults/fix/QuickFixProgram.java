package dev.decant.faults.fix;

import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import quickfix.Application;
import quickfix.ConfigError;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.FileStoreFactory;
import quickfix.Log;
import quickfix.LogFactory;
import quickfix.Message;
import quickfix.MessageStoreFactory;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionSettings;
import quickfix.ThreadedSocketAcceptor;
import quickfix.ThreadedSocketInitiator;

/**
 * QuickFIX/J with all sessions, see {@link EngineProgram}.
 *
 * <p>It stores a message, and then its number, before it writes the message to the socket. An order whose
 * {@code sendToTarget} has returned therefore survives a kill, and the one in the call is in doubt. It stores the
 * number of an incoming message after its application has returned, as Decant does. The order that the application has
 * at a kill therefore comes again.
 */
final class QuickFixProgram {
  static final String NAME = "quickfix";
  private static final int MSG_SEQ_NUM = 34;
  private static final int MSG_TYPE = 35;
  private static final int POSS_DUP_FLAG = 43;
  private static final int CL_ORD_ID = 11;

  private QuickFixProgram() {}

  public static void main(String[] arguments) throws ConfigError, IOException, InterruptedException {
    EngineProgram program = new EngineProgram(NAME, arguments);
    SessionSettings settings = new SessionSettings();
    for (Link link : Link.values()) {
      configure(settings, link, program);
    }
    Orders orders = new Orders(program);
    MessageStoreFactory stores = new FileStoreFactory(settings);
    LogFactory logs = session -> new Events(program, link(session).name());
    ThreadedSocketAcceptor acceptor = new ThreadedSocketAcceptor(orders, stores, settings, logs,
        new DefaultMessageFactory());
    ThreadedSocketInitiator initiator = new ThreadedSocketInitiator(orders, stores, settings, logs,
        new DefaultMessageFactory());
    acceptor.start();
    initiator.start();
    for (Link link : Link.values()) {
      program.sendAllTheTime(link, id -> send(link, id));
    }
    program.serve();
    initiator.stop();
    acceptor.stop();
  }

  private static Link link(SessionID session) {
    return Link.valueOf(session.getSenderCompID().substring("QUICKFIX-".length()));
  }

  private static void configure(SessionSettings settings, Link link, EngineProgram program) {
    SessionID id = link.quickFixId();
    settings.setString(id, "BeginString", id.getBeginString());
    settings.setString(id, "SenderCompID", id.getSenderCompID());
    settings.setString(id, "TargetCompID", id.getTargetCompID());
    settings.setString(id, "NonStopSession", "Y");
    settings.setString(id, "UseDataDictionary", "N");
    settings.setString(id, "HeartBtInt", "1");
    settings.setLong(id, "ResendRequestChunkSize", link.resendChunk());
    settings.setString(id, "LogonTimeout", "5");
    settings.setString(id, "LogoutTimeout", "2");
    settings.setString(id, "SocketTcpNoDelay", "Y");
    settings.setString(id, "FileStorePath", program.stores().toString());
    settings.setString(id, "FileStoreSync", link.isSynced ? "Y" : "N");
    if (link.decantConnects) {
      settings.setString(id, "ConnectionType", "acceptor");
      settings.setLong(id, "SocketAcceptPort", program.port(link));
    } else {
      settings.setString(id, "ConnectionType", "initiator");
      settings.setString(id, "SocketConnectHost", "localhost");
      settings.setLong(id, "SocketConnectPort", program.port(link));
      settings.setLong(id, "ReconnectInterval", 1);
    }
  }

  /** Returns the number of the order: QuickFIX/J stores it whether it is logged on or not. */
  private static long send(Link link, String id) throws Exception {
    Message order = new Message();
    order.getHeader().setString(MSG_TYPE, "D");
    order.setString(CL_ORD_ID, id);
    order.setChar(21, '1');
    order.setString(55, "QUICKFIX");
    order.setChar(54, '1');
    order.setUtcTimeStamp(60, LocalDateTime.now(ZoneOffset.UTC), true);
    order.setInt(38, 100);
    order.setChar(40, '1');
    Session.sendToTarget(order, link.quickFixId());
    return order.getHeader().getInt(MSG_SEQ_NUM);
  }

  /** Takes the orders. */
  private static final class Orders implements Application {
    private final EngineProgram program;

    Orders(EngineProgram program) {
      this.program = program;
    }

    @Override
    public void fromApp(Message message, SessionID session) throws FieldNotFound {
      Message.Header header = message.getHeader();
      boolean isPossDup = header.isSetField(POSS_DUP_FLAG) && header.getBoolean(POSS_DUP_FLAG);
      program.received(link(session),
          new ReceivedOrder(header.getInt(MSG_SEQ_NUM), isPossDup, message.getString(CL_ORD_ID)));
    }

    @Override
    public void onCreate(SessionID session) {}

    @Override
    public void onLogon(SessionID session) {
      program.log(link(session).name(), "logon");
    }

    @Override
    public void onLogout(SessionID session) {
      program.log(link(session).name(), "logout");
    }

    @Override
    public void toAdmin(Message message, SessionID session) {}

    @Override
    public void fromAdmin(Message message, SessionID session) {}

    @Override
    public void toApp(Message message, SessionID session) {}
  }

  /** Writes events to the log, and the messages of the session layer but for heartbeats. */
  private static final class Events implements Log {
    private final EngineProgram program;
    private final String session;

    Events(EngineProgram program, String session) {
      this.program = program;
      this.session = session;
    }

    private void message(String direction, String message) {
      if (!message.contains("\u000135=D\u0001") && !message.contains("\u000135=0\u0001")) {
        program.log(session, direction + message);
      }
    }

    @Override
    public void clear() {}

    @Override
    public void onIncoming(String message) {
      message("in: ", message);
    }

    @Override
    public void onOutgoing(String message) {
      message("out: ", message);
    }

    @Override
    public void onEvent(String text) {
      if (!text.startsWith("Resending message") && !text.startsWith("Processing queued message")
          && !text.startsWith("Enqueued") && !text.startsWith("MsgSeqNum too high")
          && !text.startsWith("Already sent ResendRequest")
          && !text.startsWith("No responder, not sending")) {
        program.log(session, text);
      }
    }

    @Override
    public void onErrorEvent(String text) {
      program.log(session, "error: " + text);
    }
  }
}
