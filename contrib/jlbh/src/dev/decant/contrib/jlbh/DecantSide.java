package dev.decant.contrib.jlbh;

import dev.decant.fix.Application;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.message.AsciiView;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.TimestampPrecision;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongConsumer;

/** Decant with default settings, messages kept in memory, and validation by QuickFIX/J's dictionary at both ends. */
final class DecantSide implements Side {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int ORDER = MsgType.key("D");
  private static final int REPORT = MsgType.key("8");
  private static final int BODY_BYTES = 256;
  private static final long EPOCH_NANOS = Instant.parse("2026-11-27T09:30:00Z").getEpochSecond() * 1_000_000_000L;

  private final FixEngine acceptors = FixEngine.builder().name("venue").start();
  private final FixEngine initiators = FixEngine.builder().name("buyer").start();
  private final OutboundMessage order;

  DecantSide(LongConsumer filled) throws IOException, InterruptedException {
    Dictionary dictionary = dictionary();
    FixAcceptor acceptor = acceptors
        .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Filler())
        .session(settings(VENUE, BUYER, dictionary)).open();
    FixSession session = initiators
        .initiator(settings(BUYER, VENUE, dictionary), (from, message) -> filled.accept(message.integer(CL_ORD_ID)))
        .host("127.0.0.1", acceptor.localAddress().getPort()).open();
    if (!session.awaitLogon(PATIENCE)) {
      throw new IllegalStateException("no logon within " + PATIENCE);
    }
    order = session.newMessage();
  }

  private static Dictionary dictionary() throws IOException {
    try (InputStream xml = quickfix.Session.class.getResourceAsStream("/FIX42.xml")) {
      return Dictionary.load(xml, "FIX42");
    }
  }

  private static SessionSettings settings(String sender, String target, Dictionary dictionary) {
    return SessionSettings.of(SessionId.of(BEGIN_STRING, sender, target))
        .heartbeatInterval(Duration.ofSeconds(HEARTBEAT_SECONDS)).timestampPrecision(TimestampPrecision.MILLIS)
        .dictionary(dictionary).build();
  }

  @Override
  public void send(long dueNanos) {
    require(order.begin(ORDER, BODY_BYTES));
    order.integer(CL_ORD_ID, dueNanos).character(HANDL_INST, '1').text(SYMBOL_TAG, SYMBOL).character(SIDE, '1')
        .timestamp(TRANSACT_TIME_TAG, EPOCH_NANOS, 0).integer(ORDER_QTY, QUANTITY).character(ORD_TYPE, '2')
        .decimal(PRICE, PRICE_HUNDREDTHS, -2);
    require(SendStatus.of(order.send()));
  }

  private static void require(SendStatus status) {
    if (status != SendStatus.OK) {
      throw new IllegalStateException("not sent: " + status);
    }
  }

  @Override
  public void close() {
    initiators.close();
    acceptors.close();
  }

  /** Fills each order at once. */
  private static final class Filler implements Application {
    private final AsciiView text = new AsciiView();
    private OutboundMessage report;
    private long executions;

    @Override
    public void onMessage(FixSession session, MessageView message) {
      if (report == null) {
        report = session.newMessage();
      }
      executions++;
      require(report.begin(REPORT, BODY_BYTES));
      report.integer(ORDER_ID, executions).text(CL_ORD_ID, message.text(CL_ORD_ID, text)).integer(EXEC_ID, executions)
          .character(EXEC_TRANS_TYPE, '0').character(EXEC_TYPE, '2').character(ORD_STATUS, '2')
          .text(SYMBOL_TAG, message.text(SYMBOL_TAG, text)).character(SIDE, message.character(SIDE))
          .integer(LEAVES_QTY, 0).integer(CUM_QTY, message.integer(ORDER_QTY)).decimal(AVG_PX, PRICE_HUNDREDTHS, -2);
      require(SendStatus.of(report.send()));
    }
  }
}
