package dev.decant.fix.quickfix;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import quickfix.Application;
import quickfix.ConfigError;
import quickfix.Connector;
import quickfix.DoNotSend;
import quickfix.FieldNotFound;
import quickfix.IncorrectDataFormat;
import quickfix.IncorrectTagValue;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.MessageStoreFactory;
import quickfix.RejectLogon;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.UnsupportedMessageType;
import quickfix.field.MsgType;

/** One end of a session on one of the engines, with an application that records its callbacks. */
class Side implements Application, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  final EngineUnderTest engine;
  final SessionID id;
  final SessionSettings settings = new SessionSettings();
  final List<String> callbacks = new CopyOnWriteArrayList<>();
  final List<Message> received = new CopyOnWriteArrayList<>();
  final List<Message> admin = new CopyOnWriteArrayList<>();
  MessageStoreFactory stores = new MemoryStoreFactory();
  private final boolean accepts;
  private @Nullable Connector connector;

  Side(EngineUnderTest engine, boolean accepts, String version, int port) {
    this(engine, accepts, accepts ? new SessionID(version, "VENUE", "BUYER") : new SessionID(version, "BUYER", "VENUE"),
        port);
  }

  Side(EngineUnderTest engine, boolean accepts, SessionID id, int port) {
    this.engine = engine;
    this.accepts = accepts;
    this.id = id;
    set("ConnectionType", accepts ? "acceptor" : "initiator");
    set("NonStopSession", "Y");
    set("HeartBtInt", "30");
    // After the default of 2 s, a busy machine's QuickFIX/J disconnects without counting the peer's Logout.
    set("LogoutTimeout", "20");
    if (accepts) {
      set("SocketAcceptPort", Integer.toString(port));
    } else {
      set("SocketConnectHost", "localhost");
      set("SocketConnectPort", Integer.toString(port));
      set("ReconnectInterval", "1");
    }
    if (id.isFIXT()) {
      set("DefaultApplVerID", "FIX.5.0SP2");
      set("TransportDataDictionary", "FIXT11.xml");
      set("AppDataDictionary", "FIX50SP2.xml");
    }
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  final Side set(String name, String value) {
    settings.setString(id, name, value);
    return this;
  }

  Side start() throws ConfigError {
    connector = accepts ? engine.acceptor(this, stores, settings) : engine.initiator(this, stores, settings);
    connector.start();
    return this;
  }

  boolean send(Message message) throws SessionNotFound {
    return engine.send(message, id);
  }

  void awaitLogon() throws InterruptedException {
    await("logon", () -> callbacks.contains("onLogon"));
  }

  void awaitReceived(int count) throws InterruptedException {
    await(() -> count + " messages at " + id + " after " + callbacks + ", " + admin, () -> received.size() >= count);
  }

  Message awaitAdmin(String type) throws InterruptedException {
    await(() -> "MsgType " + type + " at " + id + " after " + callbacks + ", " + admin,
        () -> admin.stream().anyMatch(is(type)));
    return admin.stream().filter(is(type)).findFirst().orElseThrow();
  }

  private static Predicate<Message> is(String type) {
    return message -> message.getHeader().getOptionalString(MsgType.FIELD).orElse("").equals(type);
  }

  static void await(String what, BooleanSupplier done) throws InterruptedException {
    await(() -> what, done);
  }

  private static void await(Supplier<String> what, BooleanSupplier done) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!done.getAsBoolean()) {
      if (deadline - System.nanoTime() < 0) {
        throw new AssertionError("in vain: " + what.get());
      }
      LockSupport.parkNanos(1_000_000);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private static String type(Message message) {
    return message.getHeader().getOptionalString(MsgType.FIELD).orElse("?");
  }

  @Override
  public void onCreate(SessionID session) {
    callbacks.add("onCreate");
  }

  @Override
  public void onLogon(SessionID session) {
    callbacks.add("onLogon");
  }

  @Override
  public void onLogout(SessionID session) {
    callbacks.add("onLogout");
  }

  @Override
  public void toAdmin(Message message, SessionID session) {
    callbacks.add("toAdmin " + type(message));
  }

  @Override
  public void fromAdmin(Message message, SessionID session)
      throws FieldNotFound, IncorrectDataFormat, IncorrectTagValue, RejectLogon {
    callbacks.add("fromAdmin " + type(message));
    admin.add(message);
  }

  @Override
  public void toApp(Message message, SessionID session) throws DoNotSend {
    callbacks.add("toApp " + type(message));
  }

  @Override
  public void fromApp(Message message, SessionID session)
      throws FieldNotFound, IncorrectDataFormat, IncorrectTagValue, UnsupportedMessageType {
    callbacks.add("fromApp " + type(message));
    received.add(message);
  }

  void stop() {
    if (connector != null) {
      connector.stop();
      connector = null;
    }
  }

  @Override
  public void close() {
    stop();
  }
}
