package dev.decant.kafka.jfr;

import dev.decant.kafka.event.ErrorKind;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** An error, also one that the client repaired. */
@Name("dev.decant.kafka.Error")
@Label("Error")
@Description("An error, also one that the client repaired")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class ErrorEvent extends Event {
  @Label("Code")
  @Description("Stable code of the kind of error")
  final String code;

  @Label("Where")
  @Description("Broker, or topic and partition")
  final String where;

  @Label("Type")
  @Description("Class of the cause")
  final String type;

  @Label("Message")
  @Description("Why")
  final @Nullable String message;

  ErrorEvent(ErrorKind kind, String where, Throwable cause) {
    this.code = kind.code();
    this.where = where;
    this.type = cause.getClass().getName();
    this.message = cause.getMessage();
  }
}
