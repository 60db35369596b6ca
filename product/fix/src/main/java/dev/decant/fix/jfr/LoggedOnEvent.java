package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a session is logged on in both directions. */
@Name("dev.decant.fix.LoggedOn")
@Label("Logged On")
@Description("A session is logged on in both directions")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class LoggedOnEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  LoggedOnEvent(String session) {
    this.session = session;
  }
}
