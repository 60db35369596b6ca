package dev.decant.fix.crash;

import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A program that connects, and sends orders as fast as it can until it is killed or its standard input ends. Arguments:
 * port, kind of store, folder, and a text that only the orders of this run have.
 */
final class OrderSource {
  private OrderSource() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    int port = Integer.parseInt(arguments[0]);
    Thread.ofPlatform().daemon(true).start(OrderSource::endWithTheParent);
    SessionSettings settings = SessionSettings.of(SessionId.of("FIX.4.4", "SOURCE", "SINK"))
        .heartbeatInterval(Duration.ofSeconds(1)).build();
    try (FixEngine engine = FixEngine.builder().start()) {
      FixSession session = engine.initiator(settings, (from, message) -> {}).host("localhost", port)
          .reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(50))
          .store(CrashTest.stores(arguments[1], Path.of(arguments[2]))).open();
      OutboundMessage order = session.newMessage();
      for (long i = 0;; i++) {
        while (!session.isLoggedOn()) {
          session.awaitLogon(Duration.ofSeconds(1));
        }
        if (order.begin("D") == SendStatus.OK) {
          order.text(11, arguments[3] + i).text(55, "DECANT").character(54, '1').integer(38, i);
          order.send();
        }
      }
    }
  }

  private static void endWithTheParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is said
      }
    } catch (IOException e) {
      // the same
    }
    Runtime.getRuntime().halt(1);
  }
}
