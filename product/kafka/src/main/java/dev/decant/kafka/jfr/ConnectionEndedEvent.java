package dev.decant.kafka.jfr;

import dev.decant.kafka.KafkaException;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A connection, or an attempt to make one, ended because something went wrong. */
@Name("dev.decant.kafka.ConnectionEnded")
@Label("Connection Ended")
@Description("A connection, or an attempt to make one, ended because something went wrong")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class ConnectionEndedEvent extends Event {
  @Label("Broker")
  @Description("Host and port")
  final String broker;

  @Label("Unanswered Requests")
  @Description("Requests that failed with it")
  final int unanswered;

  @Label("Error")
  @Description("The broker's error, NONE if no broker reported one")
  final String error;

  @Label("Message")
  @Description("Why")
  final @Nullable String message;

  ConnectionEndedEvent(String broker, int unanswered, KafkaException cause) {
    this.broker = broker;
    this.unanswered = unanswered;
    this.error = cause.code().name();
    this.message = cause.getMessage();
  }
}
