package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when the counterparty has rejected a message. */
@Name("dev.decant.fix.RejectReceived")
@Label("Reject Received")
@Description("The counterparty has rejected a message")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class RejectReceivedEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("Number")
  @Description("Its MsgSeqNum")
  final long number;

  @Label("Reason")
  @Description("The words of the counterparty")
  final String reason;

  RejectReceivedEvent(String session, long number, String reason) {
    this.session = session;
    this.number = number;
    this.reason = reason;
  }
}
