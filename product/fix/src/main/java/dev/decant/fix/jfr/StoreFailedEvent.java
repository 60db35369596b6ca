package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when the store of a session refuses a change. */
@Name("dev.decant.fix.StoreFailed")
@Label("Store Failed")
@Description("The store of a session takes nothing")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class StoreFailedEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("Reason")
  @Description("Why")
  final String reason;

  StoreFailedEvent(String session, String reason) {
    this.session = session;
    this.reason = reason;
  }
}
