package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when messages of the counterparty are missing. */
@Name("dev.decant.fix.GapFound")
@Label("Gap Found")
@Description("Messages of the counterparty are missing")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class GapFoundEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("Expected")
  @Description("Number of the first missing message")
  final long expected;

  @Label("Received")
  @Description("The number that has arrived instead")
  final long received;

  GapFoundEvent(String session, long expected, long received) {
    this.session = session;
    this.expected = expected;
    this.received = received;
  }
}
