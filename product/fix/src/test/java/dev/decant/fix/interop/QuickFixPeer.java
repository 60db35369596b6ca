package dev.decant.fix.interop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import quickfix.Application;
import quickfix.ConfigError;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.FileStoreFactory;
import quickfix.LogFactory;
import quickfix.Message;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.SocketInitiator;
import quickfix.field.ClOrdID;
import quickfix.field.MsgType;
import quickfix.field.PossDupFlag;
import quickfix.mina.SessionConnector;

/** QuickFIX/J as acceptor or initiator, with a store in files. The acceptor echoes orders. */
final class QuickFixPeer implements Application, AutoCloseable {
  final SessionID id;
  final List<String> received = new CopyOnWriteArrayList<>();
  private final SessionConnector connector;
  private final boolean echoes;

  private QuickFixPeer(SessionID id, SessionSettings settings, boolean accepts) throws ConfigError {
    this.id = id;
    this.echoes = accepts;
    LogFactory silent = session -> new SilentLog();
    connector = accepts
        ? new SocketAcceptor(this, new FileStoreFactory(settings), settings, silent, new DefaultMessageFactory())
        : new SocketInitiator(this, new FileStoreFactory(settings), settings, silent, new DefaultMessageFactory());
    connector.start();
  }

  static QuickFixPeer acceptor(String version, int port, Path folder) throws ConfigError {
    SessionID id = new SessionID(version, "QFJ", "DECANT");
    SessionSettings settings = settings(id, folder);
    settings.setString(id, "ConnectionType", "acceptor");
    settings.setLong(id, "SocketAcceptPort", port);
    settings.setString(id, "SocketReuseAddress", "Y"); // a ReservedPort is bound already
    return new QuickFixPeer(id, settings, true);
  }

  static QuickFixPeer initiator(String version, int port, Path folder) throws ConfigError {
    SessionID id = new SessionID(version, "QFJ", "DECANT");
    SessionSettings settings = settings(id, folder);
    settings.setString(id, "ConnectionType", "initiator");
    settings.setString(id, "SocketConnectHost", "localhost");
    settings.setLong(id, "SocketConnectPort", port);
    settings.setLong(id, "ReconnectInterval", 1);
    return new QuickFixPeer(id, settings, false);
  }

  private static SessionSettings settings(SessionID id, Path folder) {
    SessionSettings settings = new SessionSettings();
    settings.setString(id, "BeginString", id.getBeginString());
    settings.setString(id, "SenderCompID", id.getSenderCompID());
    settings.setString(id, "TargetCompID", id.getTargetCompID());
    settings.setString(id, "NonStopSession", "Y");
    settings.setString(id, "HeartBtInt", "5");
    settings.setString(id, "FileStorePath", folder.toString());
    settings.setString(id, "LogoutTimeout", "5");
    if (id.isFIXT()) {
      settings.setString(id, "DefaultApplVerID", "9");
      settings.setString(id, "TransportDataDictionary", "FIXT11.xml");
      settings.setString(id, "AppDataDictionary", "FIX50SP2.xml");
    } else {
      settings.setString(id, "DataDictionary", id.getBeginString().replace(".", "") + ".xml");
    }
    return settings;
  }

  Session session() {
    Session session = Session.lookupSession(id);
    if (session == null) {
      throw new AssertionError("QuickFIX/J has no session " + id);
    }
    return session;
  }

  void send(Message order) throws SessionNotFound {
    Session.sendToTarget(order, id);
  }

  /** Waits without asking anybody to do anything: the peer has threads of its own. */
  static void await(String what, Duration patience, BooleanSupplier done) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!done.getAsBoolean()) {
      if (deadline - System.nanoTime() < 0) {
        throw new AssertionError("in vain: " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Override
  public void onCreate(SessionID sessionId) {}

  @Override
  public void onLogon(SessionID sessionId) {}

  @Override
  public void onLogout(SessionID sessionId) {}

  @Override
  public void toAdmin(Message message, SessionID sessionId) {}

  @Override
  public void fromAdmin(Message message, SessionID sessionId) {}

  @Override
  public void toApp(Message message, SessionID sessionId) {}

  @Override
  public void fromApp(Message message, SessionID sessionId) throws FieldNotFound {
    boolean again = message.getHeader().isSetField(PossDupFlag.FIELD);
    received.add(message.getString(ClOrdID.FIELD) + (again ? " again" : ""));
    if (echoes && message.getHeader().getString(MsgType.FIELD).equals("D")) {
      Message echo = (Message) message.clone();
      echo.getHeader().removeField(PossDupFlag.FIELD);
      try {
        Session.sendToTarget(echo, id);
      } catch (SessionNotFound e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    connector.stop();
  }

  /** Says nothing. */
  private static final class SilentLog implements quickfix.Log {
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
