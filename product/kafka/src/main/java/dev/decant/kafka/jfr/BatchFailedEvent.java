package dev.decant.kafka.jfr;

import dev.decant.kafka.KafkaException;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A batch failed, and its records with it. */
@Name("dev.decant.kafka.BatchFailed")
@Label("Batch Failed")
@Description("A batch failed, and its records with it")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class BatchFailedEvent extends Event {
  @Label("Topic")
  final String topic;

  @Label("Partition")
  final int partition;

  @Label("Records")
  final int records;

  @Label("Error")
  @Description("The broker's error, NONE if no broker reported one")
  final String error;

  @Label("Message")
  @Description("Why")
  final @Nullable String message;

  BatchFailedEvent(String topic, int partition, int records, KafkaException cause) {
    this.topic = topic;
    this.partition = partition;
    this.records = records;
    this.error = cause.code().name();
    this.message = cause.getMessage();
  }
}
