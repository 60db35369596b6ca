package dev.decant.kafka.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A connection was closed in good order. */
@Name("dev.decant.kafka.ConnectionClosed")
@Label("Connection Closed")
@Description("A connection was closed without an error: not needed any more, or idle")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class ConnectionClosedEvent extends Event {
  @Label("Broker")
  @Description("Host and port")
  final String broker;

  @Label("Reason")
  @Description("Who has closed it, and why")
  final String reason;

  ConnectionClosedEvent(String broker, String reason) {
    this.broker = broker;
    this.reason = reason;
  }
}
