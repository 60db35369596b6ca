package dev.decant.kafka.jfr;

import dev.decant.kafka.KafkaException;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A batch was refused or lost and will be sent again. */
@Name("dev.decant.kafka.BatchRetried")
@Label("Batch Retried")
@Description("A batch was refused or lost and will be sent again")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class BatchRetriedEvent extends Event {
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

  BatchRetriedEvent(String topic, int partition, int records, KafkaException cause) {
    this.topic = topic;
    this.partition = partition;
    this.records = records;
    this.error = cause.code().name();
    this.message = cause.getMessage();
  }
}
