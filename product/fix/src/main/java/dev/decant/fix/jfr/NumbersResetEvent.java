package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when both sequence numbers of a session were reset to 1. */
@Name("dev.decant.fix.NumbersReset")
@Label("Numbers Reset")
@Description("Both sequence numbers of a session begin with 1")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class NumbersResetEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  NumbersResetEvent(String session) {
    this.session = session;
  }
}
