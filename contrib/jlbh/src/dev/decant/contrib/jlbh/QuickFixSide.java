package dev.decant.contrib.jlbh;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import quickfix.Application;
import quickfix.Connector;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.Log;
import quickfix.LogFactory;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.SocketInitiator;
import quickfix.fix42.ExecutionReport;
import quickfix.fix42.NewOrderSingle;

/** QuickFIX/J with default settings, messages kept in memory, its dictionary at both ends, and no log. */
final class QuickFixSide implements Side {
  private static final BigDecimal PRICE_TEXT = BigDecimal.valueOf(PRICE_HUNDREDTHS, 2);

  private final CountDownLatch loggedOn = new CountDownLatch(2);
  private final SessionID buyer = new SessionID(BEGIN_STRING, BUYER, VENUE);
  private final SessionID venue = new SessionID(BEGIN_STRING, VENUE, BUYER);
  private final Connector acceptor;
  private final Connector initiator;
  /** Executions so far. The acceptor's thread only. */
  private long executions;

  QuickFixSide(LongConsumer filled) throws Exception {
    String port = Integer.toString(freePort());
    SessionSettings accepting = settings(venue, "acceptor");
    accepting.setString("SocketAcceptPort", port);
    accepting.setString("SocketAcceptAddress", "127.0.0.1");
    acceptor = new SocketAcceptor(
        new End(message -> send(filling(message), venue)), new MemoryStoreFactory(), accepting,
        new NoLog(), new DefaultMessageFactory());
    SessionSettings initiating = settings(buyer, "initiator");
    initiating.setString("SocketConnectPort", port);
    initiating.setString("SocketConnectHost", "127.0.0.1");
    initiating.setString("ReconnectInterval", "1");
    initiator = new SocketInitiator(new End(message -> filled.accept(Long.parseLong(message.getString(CL_ORD_ID)))),
        new MemoryStoreFactory(), initiating, new NoLog(), new DefaultMessageFactory());
    acceptor.start();
    initiator.start();
    if (!loggedOn.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no logon within 30 s");
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static SessionSettings settings(SessionID id, String type) {
    SessionSettings settings = new SessionSettings();
    settings.setString("NonStopSession", "Y");
    settings.setString("HeartBtInt", Integer.toString(HEARTBEAT_SECONDS));
    settings.setString("DataDictionary", "FIX42.xml");
    settings.setString("ConnectionType", type);
    settings.setString(id, "ConnectionType", type);
    return settings;
  }

  @Override
  public void send(long dueNanos) throws SessionNotFound {
    NewOrderSingle order = new NewOrderSingle();
    order.setString(CL_ORD_ID, Long.toString(dueNanos));
    order.setChar(HANDL_INST, '1');
    order.setString(SYMBOL_TAG, SYMBOL);
    order.setChar(SIDE, '1');
    order.setString(TRANSACT_TIME_TAG, TRANSACT_TIME);
    order.setInt(ORDER_QTY, QUANTITY);
    order.setChar(ORD_TYPE, '2');
    order.setDecimal(PRICE, PRICE_TEXT);
    send(order, buyer);
  }

  private Message filling(Message order) throws FieldNotFound {
    executions++;
    ExecutionReport report = new ExecutionReport();
    report.setString(ORDER_ID, Long.toString(executions));
    report.setString(CL_ORD_ID, order.getString(CL_ORD_ID));
    report.setString(EXEC_ID, Long.toString(executions));
    report.setChar(EXEC_TRANS_TYPE, '0');
    report.setChar(EXEC_TYPE, '2');
    report.setChar(ORD_STATUS, '2');
    report.setString(SYMBOL_TAG, order.getString(SYMBOL_TAG));
    report.setChar(SIDE, order.getChar(SIDE));
    report.setInt(LEAVES_QTY, 0);
    report.setInt(CUM_QTY, order.getInt(ORDER_QTY));
    report.setDecimal(AVG_PX, PRICE_TEXT);
    return report;
  }

  private static void send(Message message, SessionID session) throws SessionNotFound {
    if (!Session.sendToTarget(message, session)) {
      throw new IllegalStateException("not sent: " + message);
    }
  }

  @Override
  public void close() {
    initiator.stop(true);
    acceptor.stop(true);
  }

  /** Handles a message of the application. */
  private interface Handler {
    void handle(Message message) throws FieldNotFound, SessionNotFound;
  }

  /** What happens at one end. */
  private final class End implements Application {
    private final Handler handler;

    End(Handler handler) {
      this.handler = handler;
    }

    @Override
    public void onCreate(SessionID session) {}

    @Override
    public void onLogon(SessionID session) {
      loggedOn.countDown();
    }

    @Override
    public void onLogout(SessionID session) {}

    @Override
    public void toAdmin(Message message, SessionID session) {}

    @Override
    public void fromAdmin(Message message, SessionID session) {}

    @Override
    public void toApp(Message message, SessionID session) {}

    @Override
    public void fromApp(Message message, SessionID session) throws FieldNotFound {
      try {
        handler.handle(message);
      } catch (SessionNotFound e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Writes nothing. */
  private static final class NoLog implements LogFactory, Log {
    @Override
    public Log create(SessionID session) {
      return this;
    }

    @Override
    public void clear() {}

    @Override
    public void onIncoming(String message) {}

    @Override
    public void onOutgoing(String message) {}

    @Override
    public void onEvent(String text) {}

    @Override
    public void onErrorEvent(String text) {}
  }
}
