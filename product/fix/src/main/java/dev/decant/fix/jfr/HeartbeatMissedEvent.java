package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when no message has arrived for longer than the heartbeat interval, and a TestRequest was sent. */
@Name("dev.decant.fix.HeartbeatMissed")
@Label("Heartbeat Missed")
@Description("Nothing has come for longer than the heartbeat interval; a TestRequest was sent")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class HeartbeatMissedEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  HeartbeatMissedEvent(String session) {
    this.session = session;
  }
}
