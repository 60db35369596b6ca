package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a logon has failed. */
@Name("dev.decant.fix.LogonFailed")
@Label("Logon Failed")
@Description("A logon has come to nothing")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class LogonFailedEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("In a Row")
  @Description("How many have failed since the last one that has not")
  final long inARow;

  @Label("Reason")
  @Description("Why its connection has ended")
  final String reason;

  LogonFailedEvent(String session, long inARow, String reason) {
    this.session = session;
    this.inARow = inARow;
    this.reason = reason;
  }
}
