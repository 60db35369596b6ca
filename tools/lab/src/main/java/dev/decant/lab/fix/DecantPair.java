package dev.decant.lab.fix;

import dev.decant.fix.Application;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.log.FileMessageLog;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.FieldView;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.TimestampPrecision;
import dev.decant.fix.store.AsyncFileStores;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.idle.IdleStrategy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Initiators on one engine of Decant, acceptors on another, with QuickFIX's dictionary. Both sides validate orders. The
 * measuring thread drives the initiators' engine while it waits for an echo.
 */
final class DecantPair implements FixContender {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int NEW_ORDER_SINGLE = MsgType.key("D");
  private static final int MAX_BODY_BYTES = 256;
  private static final long TRANSACT_TIME = Instant.parse("2026-11-24T09:30:00Z").getEpochSecond() * 1_000_000_000L;
  /** Most time for which the engine waits for the thread of the log: every message must be logged. */
  private static final Duration LOG_WAIT = Duration.ofSeconds(10);
  private static final long LOG_FILE_BYTES = 1L << 30;
  private static final int LOG_FILES = 2;
  /** Bytes of a file for a stored order and the number of its echo, with a margin. */
  private static final int KEPT_BYTES = 240;
  private static final int LEAST_SEGMENT_BYTES = 64 << 20;
  private static final int MOST_SEGMENT_BYTES = 1 << 30;

  private final Arrivals arrivals;
  private final boolean echoing;
  private final FixEngine acceptors;
  private final FixEngine initiators;
  private final List<FixSession> sessions = new ArrayList<>();
  private final OutboundMessage order;
  private final BooleanSupplier isOver = this::isOver;
  /** Number of the order that the measuring thread waits for. The measuring thread only. */
  private long awaited;
  // Written by the acceptor's thread at the first order, read after that order has arrived.
  private int wireBytes;

  DecantPair(FixSpec spec, Arrivals arrivals) throws IOException, InterruptedException {
    this.arrivals = arrivals;
    echoing = spec.work().isEchoed();
    Dictionary dictionary = QuickFixDictionaries.of(Path.of(spec.session().dictionaryJar()))
        .ofVersion(Order.BEGIN_STRING);
    IdleStrategy idle = spec.spinning() ? IdleStrategy.spin() : IdleStrategy.block();
    acceptors = FixEngine.builder().name("fix-acceptor").ioIdle(idle).log(log(spec, Order.ACCEPTOR)).start();
    initiators = FixEngine.builder().name("fix-initiator").waiterIdle(idle).log(log(spec, Order.INITIATOR)).start();
    open(spec, dictionary);
    order = sessions.getFirst().newMessage();
  }

  /** Opens the sessions. The initiators' come before the acceptors' in the list. */
  private void open(FixSpec spec, Dictionary dictionary) throws IOException, InterruptedException {
    var listening = acceptors.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Echo())
        .store(stores(spec, Order.ACCEPTOR));
    int pairs = spec.session().pairs();
    for (int pair = 0; pair < pairs; pair++) {
      listening.session(settings(spec, id(Order.ACCEPTOR, Order.INITIATOR, pair), dictionary));
    }
    FixAcceptor acceptor = listening.open();
    MessageStoreFactory stores = stores(spec, Order.INITIATOR);
    for (int pair = 0; pair < pairs; pair++) {
      sessions.add(initiators
          .initiator(settings(spec, id(Order.INITIATOR, Order.ACCEPTOR, pair), dictionary), new Taker())
          .host("127.0.0.1", acceptor.localAddress().getPort()).store(stores).open());
    }
    for (FixSession session : List.copyOf(sessions)) {
      if (!session.awaitLogon(PATIENCE)) {
        throw new IllegalStateException("no logon of " + session + " within " + PATIENCE);
      }
    }
    for (int pair = 0; pair < pairs; pair++) {
      sessions.add(acceptor.session(id(Order.ACCEPTOR, Order.INITIATOR, pair)));
    }
  }

  private static SessionId id(String sender, String target, int pair) {
    String suffix = pair == 0 ? "" : Integer.toString(pair);
    return SessionId.of(Order.BEGIN_STRING, sender + suffix, target + suffix);
  }

  private static SessionSettings settings(FixSpec spec, SessionId id, Dictionary dictionary) {
    return SessionSettings.of(id).heartbeatInterval(Duration.ofSeconds(spec.session().heartbeatSeconds()))
        .timestampPrecision(TimestampPrecision.MILLIS).dictionary(dictionary).build();
  }

  private static MessageStoreFactory stores(FixSpec spec, String side) {
    Path folder = Path.of(spec.directory(), "store-" + side);
    return switch (spec.engine()) {
      case DECANT_MEMORY -> new MemoryStores();
      case DECANT_FILE -> FileStores.builder(folder).segmentBytes(segmentBytes(spec.amount())).build();
      case DECANT_ASYNC ->
        AsyncFileStores.builder(FileStores.builder(folder).segmentBytes(segmentBytes(spec.amount())).build())
            .build();
      default -> throw new IllegalArgumentException(spec.engine().label() + " is no engine of Decant");
    };
  }

  /**
   * Returns a segment's size that holds all messages of a sample: a second file would be prepared by a thread that
   * allocates for it.
   */
  private static int segmentBytes(FixSpec.Amount amount) {
    long wanted = (FixBench.MOST_TRIPS * amount.messages() + 3 * amount.warmUpMessages()) * KEPT_BYTES;
    return Math.clamp(wanted, LEAST_SEGMENT_BYTES, MOST_SEGMENT_BYTES);
  }

  private static MessageLog log(FixSpec spec, String side) throws IOException {
    return spec.session().logged()
        ? FileMessageLog.builder(Path.of(spec.directory(), "log-" + side)).maxBlock(LOG_WAIT)
            .maxFileBytes(LOG_FILE_BYTES).maxFiles(LOG_FILES).open()
        : MessageLog.none();
  }

  @Override
  public void send(long number) throws InterruptedException {
    SendStatus status = order.begin(NEW_ORDER_SINGLE, MAX_BODY_BYTES);
    if (status != SendStatus.OK) {
      arrivals.check();
      throw new IllegalStateException("order " + number + " was not sent: " + status);
    }
    order.integer(Order.CL_ORD_ID, Order.idOf(number), Order.CL_ORD_ID_DIGITS).character(Order.HANDL_INST, '1')
        .integer(Order.ORDER_QTY, Order.QUANTITY).character(Order.ORD_TYPE, '2')
        .decimal(Order.PRICE_TAG, Order.PRICE_HUNDREDTHS, -2).character(Order.SIDE, '1')
        .text(Order.SYMBOL_TAG, Order.SYMBOL).timestamp(Order.TRANSACT_TIME_TAG, TRANSACT_TIME, 0);
    order.send();
  }

  @Override
  public void awaitArrived(long count) throws InterruptedException {
    if (!echoing) {
      arrivals.await(count);
      return;
    }
    awaited = count;
    if (!initiators.waitUntil(isOver, PATIENCE)) {
      throw new IllegalStateException(arrivals.count() + " of " + count + " orders have come back");
    }
    arrivals.check();
  }

  private boolean isOver() {
    return arrivals.count() >= awaited || arrivals.hasFailed();
  }

  @Override
  public void awaitTime(long nanos) throws InterruptedException {
    Waits.until(nanos, arrivals);
  }

  /** Returns the number of messages with sequence numbers that are no orders. */
  @Override
  public long administrativeMessages() {
    long numbered = 0;
    for (FixSession session : sessions) {
      numbered += session.nextOutbound() - 1;
    }
    return numbered - arrivals.count() * (echoing ? 2 : 1);
  }

  @Override
  public int wireBytes() {
    return wireBytes;
  }

  @Override
  public void close() {
    initiators.close();
    acceptors.close();
  }

  /** The acceptors' application: sends each order back, or counts it. */
  private final class Echo implements Application {
    /** The message for the echo. Made at the first order, which the first session receives. */
    private final List<OutboundMessage> echoes = new ArrayList<>(1);

    @Override
    public void onMessage(FixSession session, MessageView message) {
      if (wireBytes == 0) {
        wireBytes = Order.wireBytes((int) message.integer(Tag.BODY_LENGTH), message.integer(Tag.MSG_SEQ_NUM));
        echoes.add(session.newMessage());
      }
      if (!echoing) {
        arrivals.arrived(message.integer(Order.CL_ORD_ID));
        return;
      }
      OutboundMessage echo = echoes.getFirst();
      SendStatus status = echo.begin(message.msgTypeKey(), MAX_BODY_BYTES);
      if (status != SendStatus.OK) {
        arrivals.failed(new IOException("an order was not echoed: " + status));
        return;
      }
      echo.copy((FieldView) message, message.bodyFirst(), message.endField() - 1);
      echo.send();
    }

    @Override
    public void onLogout(FixSession session, String reason) {
      arrivals.failed(new IOException("Logout of " + session + ": " + reason));
    }
  }

  /** The initiators' application: counts the echoes. */
  private final class Taker implements Application {
    @Override
    public void onMessage(FixSession session, MessageView message) {
      arrivals.arrived(message.integer(Order.CL_ORD_ID));
    }

    @Override
    public void onLogout(FixSession session, String reason) {
      arrivals.failed(new IOException("Logout of " + session + ": " + reason));
    }
  }
}
