package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Recorded when the counterparty reads more slowly than the session sends. */
@Name("dev.decant.fix.SlowCounterparty")
@Label("Slow Counterparty")
@Description("The counterparty reads more slowly than the session sends")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class SlowCounterpartyEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("Waiting")
  @Description("What waits for the socket")
  @DataAmount
  final long waiting;

  @Label("Since")
  @Description("How long the output has not been empty")
  @Timespan
  final long since;

  SlowCounterpartyEvent(String session, long waiting, long since) {
    this.session = session;
    this.waiting = waiting;
    this.since = since;
  }
}
