package dev.decant.kafka.jfr;

import dev.decant.kafka.KafkaException;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A transaction has to be aborted, or its id cannot be used any more. */
@Name("dev.decant.kafka.TransactionFailed")
@Label("Transaction Failed")
@Description("A transaction has to be aborted, or its id cannot be used any more")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class TransactionFailedEvent extends Event {
  @Label("Transactional Id")
  final String transactionalId;

  @Label("Fatal")
  @Description("Whether the id cannot be used any more")
  final boolean fatal;

  @Label("Error")
  @Description("The broker's error, NONE if no broker reported one")
  final String error;

  @Label("Message")
  @Description("Why")
  final @Nullable String message;

  TransactionFailedEvent(String transactionalId, boolean fatal, KafkaException cause) {
    this.transactionalId = transactionalId;
    this.fatal = fatal;
    this.error = cause.code().name();
    this.message = cause.getMessage();
  }
}
