package dev.decant.fix;

import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.FieldView;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.PreparedFields;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.idle.IdleStrategy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** An acceptor that echoes orders, and an initiator that counts the echoes, on engines of their own. */
final class TwoEngines implements AutoCloseable {
  static final String VERSION = "FIX.4.4";
  static final Duration PATIENCE = Duration.ofSeconds(20);

  final FixEngine serverEngine;
  final FixEngine clientEngine;
  final FixAcceptor acceptor;
  final FixSession server;
  final FixSession client;
  final Counter received = new Counter();
  final Echo echo = new Echo();
  private final OutboundMessage order;
  private final PreparedFields prepared = preparedOrder();
  private final int preparedId = prepared.slot(11);
  private final int preparedQuantity = prepared.slot(38);
  private final int preparedPrice = prepared.slot(44);
  private final int preparedTime = prepared.slot(60);
  private final BooleanSupplier isAnswered = this::isAnswered;
  private long sent;

  /** Counts messages, and remembers the last one's number and text. */
  static final class Counter implements Application {
    volatile long count;
    volatile long lastNumber;
    volatile boolean keepTexts;
    final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner of the loop
    public void onMessage(FixSession session, MessageView message) {
      lastNumber = message.integer(Tag.MSG_SEQ_NUM);
      if (keepTexts) {
        texts.add(message.string(11, "?") + (message.flag(Tag.POSS_DUP_FLAG, false) ? " again" : ""));
      }
      count++;
    }
  }

  /** Sends each message back, as it is. */
  static final class Echo implements Application {
    private final Map<FixSession, OutboundMessage> answers = new ConcurrentHashMap<>();
    volatile long count;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner of the loop
    public void onMessage(FixSession session, MessageView message) {
      OutboundMessage answer = answers.get(session);
      if (answer == null) {
        answer = session.newMessage();
        answers.put(session, answer);
      }
      if (answer.begin(message.msgTypeKey(), 1_024) == SendStatus.OK) {
        answer.copy((FieldView) message, message.bodyFirst(), message.endField() - 1);
        answer.send();
        count++;
      }
    }
  }

  TwoEngines(IdleStrategy idle) throws IOException, InterruptedException {
    this(idle, settings -> settings, new MemoryStores(), new MemoryStores(), MessageLog.none());
  }

  TwoEngines(IdleStrategy idle, UnaryOperator<SessionSettingsBuilder> rules, MessageStoreFactory serverStore,
      MessageStoreFactory clientStore, MessageLog log) throws IOException, InterruptedException {
    serverEngine = FixEngine.builder().name("server").ioIdle(idle).start();
    clientEngine = FixEngine.builder().name("client").log(log).ioIdle(IdleStrategy.block()).waiterIdle(idle).start();
    SessionId serverId = SessionId.of(VERSION, "SERVER", "CLIENT");
    SessionId clientId = SessionId.of(VERSION, "CLIENT", "SERVER");
    acceptor = serverEngine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), echo)
        .session(rules.apply(SessionSettings.of(serverId)).build()).store(serverStore).open();
    server = acceptor.session(serverId);
    client = clientEngine.initiator(rules.apply(SessionSettings.of(clientId)).build(), received)
        .host("localhost", acceptor.localAddress().getPort()).store(clientStore).open();
    if (!client.awaitLogon(PATIENCE)) {
      throw new AssertionError("no logon");
    }
    order = client.newMessage();
  }

  /** Sends orders one at a time, each when the one before has come back. */
  void roundTrips(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      send();
      if (!clientEngine.waitUntil(isAnswered, PATIENCE)) {
        throw new AssertionError(received.count + " of " + sent + " came back");
      }
    }
  }

  /** As {@link #roundTrips}, with {@link #sendPrepared}. */
  void preparedRoundTrips(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      sendPrepared();
      if (!clientEngine.waitUntil(isAnswered, PATIENCE)) {
        throw new AssertionError(received.count + " of " + sent + " came back");
      }
    }
  }

  private boolean isAnswered() {
    return received.count == sent;
  }

  /** Sends an order. */
  void send() {
    if (order.begin("D") != SendStatus.OK) {
      throw new AssertionError("not sent");
    }
    order.text(11, "ORDER-1").character(21, '1').integer(38, 100).character(40, '2').decimal(44, 10_125, -2)
        .character(54, '1').text(55, "DECANT").timestamp(60, 1_700_000_000_000_000_000L, 3);
    order.send();
    sent++;
  }

  private static PreparedFields preparedOrder() {
    FieldWriter writer = new FieldWriter().wrap(ByteBuffer.allocate(256), 0, 256);
    writer.integer(11, 0, 9).character(21, '1').integer(38, 0, 6).character(40, '2').text(44, "000000.00")
        .character(54, '1').text(55, "DECANT").timestamp(60, 0, 3);
    return PreparedFields.copyOf(writer);
  }

  /** Patches the prepared order with the next number, and sends it. */
  void sendPrepared() {
    prepared.integer(preparedId, sent).integer(preparedQuantity, sent % 1_000).decimal(preparedPrice, sent, -2)
        .timestamp(preparedTime, 1_700_000_000_000_000_000L + sent * 1_000_000);
    if (order.begin("D", prepared) != SendStatus.OK) {
      throw new AssertionError("not sent");
    }
    order.send();
    sent++;
  }

  @Override
  public void close() {
    clientEngine.close();
    serverEngine.close();
  }
}
