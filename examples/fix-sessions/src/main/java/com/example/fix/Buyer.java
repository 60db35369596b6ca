package com.example.fix;

import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Sends ten orders to the venue, and waits for their reports. */
public final class Buyer {
  private static final int ORDERS = 10;
  private static final int SECONDS = 10;

  private Buyer() {}

  /**
   * Sends and waits.
   *
   * @param arguments none; the environment variables FIX_HOST and FIX_PORT have the venue's address
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    String host = System.getenv().getOrDefault("FIX_HOST", "localhost");
    int port = Integer.parseInt(System.getenv().getOrDefault("FIX_PORT", "9876"));
    Path stores = Path.of(System.getenv().getOrDefault("FIX_STORE", "target/fix-store"), "buyer");
    CountDownLatch reports = new CountDownLatch(ORDERS);
    int status = 0;
    try (FixEngine engine = FixEngine.builder().start()) {
      FixSession session = engine
          .initiator(SessionSettings.of(SessionId.of("FIX.4.4", "BUYER", "VENUE")).build(),
              (from, message) -> onReport(message, reports))
          .host(host, port).store(FileStores.builder(stores).build()).open();
      if (!session.awaitLogon(Duration.ofSeconds(SECONDS))) {
        System.err.println("The venue at " + host + ":" + port + " does not log us on: "
            + session.status().health().reason());
        status = 1;
      } else if (!send(session) || !reports.await(SECONDS, TimeUnit.SECONDS)) {
        System.err.println(reports.getCount() + " orders have no report");
        status = 1;
      }
    } catch (IOException e) { // the store belongs to another process, or its disk is broken
      System.err.println("The buyer cannot start: " + e.getMessage());
      status = 1;
    }
    System.exit(status); // the session has logged out
  }

  private static void onReport(MessageView message, CountDownLatch reports) {
    if (message.contentEquals(35, "8")) {
      System.out.println("order " + message.string(11) + " is filled by " + message.string(17));
      reports.countDown();
    } else {
      System.err.println("not a report: " + message);
    }
  }

  private static boolean send(FixSession session) {
    OutboundMessage order = session.newMessage(); // once for each thread that sends
    for (int i = 0; i < ORDERS; i++) {
      if (order.begin("D") != SendStatus.OK) {
        return false; // logged out
      }
      order.text(11, "ORDER-" + i).text(55, "DECANT").character(54, '1').integer(38, 100).character(40, '2')
          .decimal(44, 10_125, -2).timestamp(60, System.currentTimeMillis() * 1_000_000, 3);
      if (order.send() < 0) {
        return false;
      }
    }
    return true;
  }
}
