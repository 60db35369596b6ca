package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when accepted messages are discarded unsent. */
@Name("dev.decant.fix.MessagesDiscarded")
@Label("Messages Discarded")
@Description("Messages that were accepted will not be sent")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class MessagesDiscardedEvent extends Event {
  @Label("Session")
  @Description("The two ends")
  final String session;

  @Label("From")
  @Description("The first number")
  final long from;

  @Label("To")
  @Description("The last number")
  final long to;

  MessagesDiscardedEvent(String session, long from, long to) {
    this.session = session;
    this.from = from;
    this.to = to;
  }
}
