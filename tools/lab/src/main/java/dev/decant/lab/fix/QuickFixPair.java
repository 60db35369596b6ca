package dev.decant.lab.fix;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import quickfix.Application;
import quickfix.ConfigError;
import quickfix.Connector;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.FileLogFactory;
import quickfix.FileStoreFactory;
import quickfix.Log;
import quickfix.LogFactory;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.MessageStoreFactory;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.SocketInitiator;
import quickfix.fix42.NewOrderSingle;

/**
 * Initiators and acceptors of QuickFIX/J, on its own engine or on Decant, with its dictionary and its default settings.
 */
final class QuickFixPair implements FixContender {
  private static final long LOGON_SECONDS = 30;
  private static final int BODY_LENGTH = 9;
  private static final int MSG_SEQ_NUM = 34;
  private static final BigDecimal PRICE = new BigDecimal(Order.PRICE);

  private final Arrivals arrivals;
  private final boolean echoing;
  private final CountDownLatch loggedOn;
  private final boolean isAdapter;
  private final Connector acceptor;
  private final Connector initiator;
  private final SessionID first = new SessionID(Order.BEGIN_STRING, compId(Order.INITIATOR, 0),
      compId(Order.ACCEPTOR, 0));
  private final LongAdder administrative = new LongAdder();
  // Written by the acceptor's thread at the first order, read after that order has arrived.
  private int wireBytes;

  QuickFixPair(FixSpec spec, Arrivals arrivals) throws Exception {
    this.arrivals = arrivals;
    echoing = spec.work().isEchoed();
    isAdapter = spec.engine() == Engine.ADAPTER_MEMORY;
    int pairs = spec.session().pairs();
    loggedOn = new CountDownLatch(2 * pairs);
    String port = Integer.toString(Loopback.freePort());
    acceptor = acceptor(settings(spec, Map.of("SocketAcceptPort", port,
        "SocketAcceptAddress", "127.0.0.1"), Order.ACCEPTOR, Order.INITIATOR));
    initiator = initiator(settings(spec, Map.of("SocketConnectPort", port,
        "SocketConnectHost", "127.0.0.1", "ReconnectInterval", "1"), Order.INITIATOR, Order.ACCEPTOR));
    acceptor.start();
    initiator.start();
    if (!loggedOn.await(LOGON_SECONDS, TimeUnit.SECONDS)) {
      close();
      throw new IllegalStateException("no logon within " + LOGON_SECONDS + " s");
    }
  }

  private static String compId(String name, int pair) {
    return pair == 0 ? name : name + pair;
  }

  /** Returns the settings of a side. Only what a user must choose is set; all else is the default. */
  private static Setup settings(FixSpec spec, Map<String, String> own, String sender, String target)
      throws ConfigError {
    String type = sender.equals(Order.ACCEPTOR) ? "acceptor" : "initiator";
    Map<Object, Object> common = new TreeMap<>(own);
    common.put("ConnectionType", type);
    common.put("NonStopSession", "Y");
    common.put("HeartBtInt", Integer.toString(spec.session().heartbeatSeconds()));
    common.put("DataDictionary", "FIX42.xml");
    common.put("FileStorePath", Path.of(spec.directory(), "quickfixj-" + sender).toString());
    common.put("FileLogPath", Path.of(spec.directory(), "quickfixj-log-" + sender).toString());
    SessionSettings settings = new SessionSettings();
    settings.set(common);
    for (int pair = 0; pair < spec.session().pairs(); pair++) {
      SessionID id = new SessionID(Order.BEGIN_STRING, compId(sender, pair), compId(target, pair));
      settings.setString(id, "ConnectionType", type);
    }
    MessageStoreFactory stores = spec.engine() == Engine.QUICKFIXJ_FILE
        ? new FileStoreFactory(settings)
        : new MemoryStoreFactory();
    LogFactory logs = spec.session().logged() ? new FileLogFactory(settings) : new NoLog();
    return new Setup(settings, stores, logs);
  }

  /** Settings, store and log of one side. */
  private record Setup(SessionSettings settings, MessageStoreFactory stores, LogFactory logs) {}

  private Connector acceptor(Setup setup) throws ConfigError {
    if (isAdapter) {
      return new dev.decant.fix.quickfix.SocketAcceptor(new Side(true), setup.stores(), setup.settings(), setup.logs(),
          new DefaultMessageFactory());
    }
    return new SocketAcceptor(new Side(true), setup.stores(), setup.settings(), setup.logs(),
        new DefaultMessageFactory());
  }

  private Connector initiator(Setup setup) throws ConfigError {
    if (isAdapter) {
      return new dev.decant.fix.quickfix.SocketInitiator(new Side(false), setup.stores(), setup.settings(),
          setup.logs(), new DefaultMessageFactory());
    }
    return new SocketInitiator(new Side(false), setup.stores(), setup.settings(), setup.logs(),
        new DefaultMessageFactory());
  }

  @Override
  public void send(long number) throws SessionNotFound {
    NewOrderSingle order = new NewOrderSingle();
    order.setString(Order.CL_ORD_ID, Order.id(number));
    order.setChar(Order.HANDL_INST, '1');
    order.setInt(Order.ORDER_QTY, Order.QUANTITY);
    order.setChar(Order.ORD_TYPE, '2');
    order.setDecimal(Order.PRICE_TAG, PRICE);
    order.setChar(Order.SIDE, '1');
    order.setString(Order.SYMBOL_TAG, Order.SYMBOL);
    order.setString(Order.TRANSACT_TIME_TAG, Order.TRANSACT_TIME);
    send(order, first);
  }

  private void send(Message message, SessionID session) throws SessionNotFound {
    boolean isSent = isAdapter
        ? dev.decant.fix.quickfix.Session.sendToTarget(message, session)
        : Session.sendToTarget(message, session);
    if (!isSent) {
      throw new IllegalStateException("QuickFIX/J has not sent " + message);
    }
  }

  @Override
  public void awaitArrived(long count) throws InterruptedException {
    arrivals.await(count);
  }

  @Override
  public void awaitTime(long nanos) throws InterruptedException {
    Waits.until(nanos, arrivals);
  }

  @Override
  public long administrativeMessages() {
    return administrative.sum();
  }

  @Override
  public int wireBytes() {
    return wireBytes;
  }

  @Override
  public void close() {
    initiator.stop(true);
    acceptor.stop(true);
  }

  /** The application of one side. */
  private final class Side implements Application {
    private final boolean accepting;

    Side(boolean accepting) {
      this.accepting = accepting;
    }

    @Override
    public void onCreate(SessionID session) {}

    @Override
    public void onLogon(SessionID session) {
      loggedOn.countDown();
    }

    @Override
    public void onLogout(SessionID session) {
      arrivals.failed(new IOException("Logout of " + session));
    }

    @Override
    public void toAdmin(Message message, SessionID session) {
      administrative.increment();
    }

    @Override
    public void fromAdmin(Message message, SessionID session) {}

    @Override
    public void toApp(Message message, SessionID session) {}

    @Override
    public void fromApp(Message message, SessionID session) throws FieldNotFound {
      if (accepting && wireBytes == 0) {
        wireBytes = Order.wireBytes(message.getHeader().getInt(BODY_LENGTH), message.getHeader().getInt(MSG_SEQ_NUM));
      }
      if (!accepting || !echoing) {
        arrivals.arrived(Long.parseLong(message.getString(Order.CL_ORD_ID)));
        return;
      }
      try {
        send(message, session); // send() sets the header to that of the session
      } catch (SessionNotFound e) {
        arrivals.failed(e);
      }
    }
  }

  /** A log that writes nothing. */
  private static final class NoLog implements LogFactory, Log {
    @Override
    public Log create(@Nullable SessionID session) {
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
