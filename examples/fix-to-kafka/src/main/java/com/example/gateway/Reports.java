package com.example.gateway;

import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** Sends ExecutionReports from any thread. */
final class Reports {
  private final AtomicLong executions = new AtomicLong(System.currentTimeMillis());
  private volatile FixSession session; // the buyer's, set at its first logon

  void use(FixSession loggedOn) {
    session = loggedOn;
  }

  /** Throws if the report was not accepted: the work tries the record again. */
  void filled(Execution execution) throws IOException {
    OutboundMessage report = begin();
    long quantity = execution.quantity();
    report.text(37, execution.order()).text(17, "E-" + executions.incrementAndGet()).character(150, 'F')
        .character(39, '2').text(11, execution.order()).text(55, execution.symbol())
        .character(54, execution.side().charAt(0)).integer(151, 0).integer(14, quantity).integer(32, quantity)
        .decimal(31, 10_125, -2).decimal(6, 10_125, -2);
    send(report);
  }

  void rejected(String order, String reason) {
    try {
      OutboundMessage report = begin();
      report.text(37, order).text(17, "R-" + executions.incrementAndGet()).character(150, '8').character(39, '8')
          .text(11, order).text(58, reason).integer(151, 0).integer(14, 0).decimal(6, 0, 0);
      send(report);
    } catch (IOException e) { // the buyer asks for the order's state when it logs on again
      System.err.println("order " + order + " is rejected, and the buyer does not know: " + e.getMessage());
    }
  }

  private OutboundMessage begin() throws IOException {
    FixSession buyer = session;
    if (buyer == null) {
      throw new IOException("the buyer has not logged on yet");
    }
    OutboundMessage report = buyer.newMessage();
    SendStatus status = report.begin("8");
    if (status != SendStatus.OK) {
      throw new IOException("the buyer's session takes nothing: " + status);
    }
    return report;
  }

  private static void send(OutboundMessage report) throws IOException {
    long number = report.send();
    if (number < 0) {
      report.abort();
      throw new IOException("the report was not accepted: " + SendStatus.of(number));
    }
  }
}
