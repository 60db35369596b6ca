package com.example.fix;

import dev.decant.fix.Application;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Accepts the session of the buyer, and fills each order. On SIGTERM it logs out, and says where the numbers stand. */
public final class Venue implements Application {
  private final Map<FixSession, OutboundMessage> reports = new HashMap<>(); // of the thread that drives the engine
  private long executions;

  private Venue() {}

  /**
   * Runs until SIGTERM.
   *
   * @param arguments none; the environment variable FIX_PORT has the port
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    int port = Integer.parseInt(System.getenv().getOrDefault("FIX_PORT", "9876"));
    Path stores = Path.of(System.getenv().getOrDefault("FIX_STORE", "target/fix-store"), "venue");
    try (FixEngine engine = FixEngine.builder()
        .closeOnShutdown(Duration.ofSeconds(10), report -> System.out.println("stopped: " + report)).start();
        FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(port), new Venue())
            .session(SessionSettings.of(SessionId.of("FIX.4.4", "VENUE", "BUYER")).build())
            .store(FileStores.builder(stores).build()).open()) {
      System.out.println("listens on port " + acceptor.localAddress().getPort());
      new CountDownLatch(1).await(); // until SIGTERM
    } catch (IOException e) { // the port is taken, or the store belongs to another process
      System.err.println("The venue cannot start: " + e.getMessage());
      System.exit(1);
    }
  }

  @Override
  public void onLogon(FixSession session) {
    System.out.println("logged on: " + session.id());
  }

  @Override
  public void onLogout(FixSession session, String reason) {
    System.out.println("logged out: " + session.id() + ": " + reason);
  }

  /** A missing or malformed field ends this method, and the session rejects the message for it. */
  @Override
  public void onMessage(FixSession session, MessageView message) {
    if (!message.contentEquals(35, "D")) {
      session.rejectBusiness(message, 3, "this venue takes orders only"); // 3: unsupported message type
      return;
    }
    long quantity = message.integer(38);
    OutboundMessage report = reports.computeIfAbsent(session, FixSession::newMessage);
    SendStatus status = report.begin("8");
    if (status != SendStatus.OK) { // the session has ended meanwhile, or the buyer reads too slowly
      System.err.println("order " + message.string(11) + " has no report: " + status);
      return;
    }
    executions++;
    report.text(37, message.string(11)).text(17, "E-" + executions).character(150, 'F').character(39, '2')
        .text(11, message.string(11)).text(55, message.string(55)).character(54, message.string(54).charAt(0))
        .integer(151, 0).integer(14, quantity).integer(32, quantity).decimal(31, 10_125, -2).decimal(6, 10_125, -2);
    long number = report.send();
    if (number < 0) { // the store has failed, or the buyer reads too slowly
      System.err.println("order " + message.string(11) + " has no report: " + SendStatus.of(number));
    }
  }
}
