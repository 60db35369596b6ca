package dev.decant.kafka.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A connection to a broker became ready: versions are negotiated. */
@Name("dev.decant.kafka.ConnectionReady")
@Label("Connection Ready")
@Description("A connection to a broker became ready: versions are negotiated")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class ConnectionReadyEvent extends Event {
  @Label("Broker")
  @Description("Host and port")
  final String broker;

  @Label("Setup Time")
  @Description("Since the attempt began, name resolution included")
  @Timespan(Timespan.NANOSECONDS)
  final long setupTime;

  ConnectionReadyEvent(String broker, long nanos) {
    this.broker = broker;
    this.setupTime = nanos;
  }
}
