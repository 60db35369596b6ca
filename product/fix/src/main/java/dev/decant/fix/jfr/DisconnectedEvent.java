package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a connection of a session ends, by a logout or otherwise. */
@Name("dev.decant.fix.Disconnected")
@Label("Disconnected")
@Description("A connection of a session has ended, by a logout or otherwise")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class DisconnectedEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("Reason")
  @Description("Why")
  final String reason;

  DisconnectedEvent(String session, String reason) {
    this.session = session;
    this.reason = reason;
  }
}
