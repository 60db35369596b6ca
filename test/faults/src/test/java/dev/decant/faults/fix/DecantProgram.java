package dev.decant.faults.fix;

import dev.decant.fix.Application;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.AsyncFileStores;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Decant with all sessions, see {@link EngineProgram}. */
final class DecantProgram {
  static final String NAME = "decant";
  private static final int REFUSED = -1;
  /** Small, so that a session fills many of them. */
  private static final int SEGMENT_BYTES = 64 * 1024;

  private DecantProgram() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    EngineProgram program = new EngineProgram(NAME, arguments);
    try (FixEngine engine = FixEngine.builder().start()) {
      engine.listen(new Events(program));
      for (Link link : Link.values()) {
        FixSession session = open(engine, link, program);
        OutboundMessage order = session.newMessage();
        program.sendAllTheTime(link, id -> send(order, id));
      }
      program.serve();
    }
  }

  private static FixSession open(FixEngine engine, Link link, EngineProgram program) throws IOException {
    SessionSettings settings = SessionSettings.of(link.decantId()).heartbeatInterval(Duration.ofSeconds(1))
        .sendWhileLoggedOut(link.sendsWhileLoggedOut()).resendRequestChunk(link.resendChunk()).build();
    Application application = (session, message) -> program.received(link,
        new ReceivedOrder(message.integer(Tag.MSG_SEQ_NUM), message.flag(Tag.POSS_DUP_FLAG, false),
            message.string(11)));
    if (link.decantConnects) {
      return engine.initiator(settings, application).host("localhost", program.port(link))
          .reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(500)).store(stores(link, program)).open();
    }
    return engine
        .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), program.port(link)), application)
        .session(settings).store(stores(link, program)).open().session(link.decantId());
  }

  private static MessageStoreFactory stores(Link link, EngineProgram program) {
    FileStores files = FileStores.builder(program.stores()).segmentBytes(SEGMENT_BYTES).build();
    return link.isAsync ? AsyncFileStores.builder(files).ringBytes(SEGMENT_BYTES).build() : files;
  }

  private static long send(OutboundMessage order, String id) {
    if (order.begin("D") != SendStatus.OK) {
      return REFUSED;
    }
    order.text(11, id).character(21, '1').text(55, "DECANT").character(54, '1')
        .timestamp(60, System.currentTimeMillis() * 1_000_000, 3).integer(38, 100).character(40, '1');
    return order.send();
  }

  /** Writes what listeners are told to the log. */
  private static final class Events implements SessionListener {
    private final EngineProgram program;

    Events(EngineProgram program) {
      this.program = program;
    }

    private void log(SessionId session, String event) {
      program.log(session.senderCompId(), event);
    }

    @Override
    public void onLogon(SessionId session) {
      log(session, "logon");
    }

    @Override
    public void onDisconnect(SessionId session, String reason) {
      log(session, "end: " + reason);
    }

    @Override
    public void onGarbled(SessionId session, String reason) {
      log(session, "garbled: " + reason);
    }

    @Override
    public void onGap(SessionId session, long expected, long received) {
      log(session, "gap: " + received + " in place of " + expected);
    }

    @Override
    public void onResendRequestReceived(SessionId session, long from, long to) {
      log(session, "asked to resend " + from + " to " + to);
    }

    @Override
    public void onRejectSent(SessionId session, long number, String reason) {
      log(session, "reject of " + number + " sent: " + reason);
    }

    @Override
    public void onRejectReceived(SessionId session, long number, String reason) {
      log(session, "reject of " + number + " received: " + reason);
    }

    @Override
    public void onReset(SessionId session) {
      log(session, "reset");
    }

    @Override
    public void onMessagesDiscarded(SessionId session, long from, long to) {
      log(session, "discarded " + from + " to " + to);
    }

    @Override
    public void onStoreFailed(SessionId session, Exception cause) {
      log(session, "store failed: " + cause);
    }

    @Override
    public void onConnectionRefused(InetSocketAddress from, String reason) {
      program.log("stranger", "refused: " + reason);
    }

    @Override
    public void onNotice(SessionId session, String text) {
      log(session, "notice: " + text);
    }
  }
}
