package dev.decant.fix.crash;

import dev.decant.fix.Application;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program whose threads send orders while the loop does nothing. It dies when all are accepted. Arguments: port, kind
 * of store, folder.
 */
final class OrderBurst {
  static final int ORDERS = 2_000;
  static final int ALL_ACCEPTED = 9;
  private static final int THREADS = 4;
  private static final int SOME_REFUSED = 8;

  private OrderBurst() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    CountDownLatch loggedOn = new CountDownLatch(1);
    Application application = new Application() {
      @Override
      public void onMessage(FixSession session, MessageView message) {}

      @Override
      public void onLogon(FixSession session) {
        loggedOn.countDown();
        try {
          new CountDownLatch(1).await(); // the loop does nothing from here on
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    };
    FixEngine engine = FixEngine.builder().start();
    FixSession session = engine
        .initiator(SessionSettings.of(SessionId.of("FIX.4.4", "SOURCE", "SINK")).build(), application)
        .host("localhost", Integer.parseInt(arguments[0]))
        .store(CrashTest.stores(arguments[1], Path.of(arguments[2]))).open();
    loggedOn.await();
    AtomicInteger accepted = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int sender = i;
      threads.add(Thread.ofPlatform().start(() -> accepted.addAndGet(send(session, sender))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Runtime.getRuntime().halt(accepted.get() == ORDERS ? ALL_ACCEPTED : SOME_REFUSED); // no hooks: as kill -9
  }

  private static int send(FixSession session, int sender) {
    OutboundMessage order = session.newMessage();
    int accepted = 0;
    for (int i = 0; i < ORDERS / THREADS; i++) {
      if (order.begin("D") == SendStatus.OK) {
        order.text(11, sender + "-" + i).text(55, "DECANT").character(54, '1').integer(38, i);
        accepted += order.send() > 0 ? 1 : 0;
      }
    }
    return accepted;
  }
}
