package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a message of the counterparty was rejected. */
@Name("dev.decant.fix.RejectSent")
@Label("Reject Sent")
@Description("A message of the counterparty was rejected")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class RejectSentEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("Number")
  @Description("Its MsgSeqNum")
  final long number;

  @Label("Reason")
  @Description("Why")
  final String reason;

  RejectSentEvent(String session, long number, String reason) {
    this.session = session;
    this.number = number;
    this.reason = reason;
  }
}
