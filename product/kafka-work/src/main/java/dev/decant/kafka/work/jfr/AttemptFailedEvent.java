package dev.decant.kafka.work.jfr;

import dev.decant.kafka.TopicPartition;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A handler has failed with a record. */
@Name("dev.decant.kafka.work.AttemptFailed")
@Label("Attempt Failed")
@Description("A handler has failed with a record")
@Category({"Decant", "Kafka Work"})
@StackTrace(false)
final class AttemptFailedEvent extends Event {
  @Label("Topic")
  final String topic;

  @Label("Partition")
  final int partition;

  @Label("Offset")
  final long offset;

  @Label("Attempt")
  @Description("From 1")
  final int attempt;

  @Label("Retried")
  @Description("Whether another attempt follows")
  final boolean retried;

  @Label("Error")
  @Description("Its class and message")
  final String error;

  AttemptFailedEvent(TopicPartition partition, long offset, int attempt, boolean retried, String error) {
    this.topic = partition.topic();
    this.partition = partition.partition();
    this.offset = offset;
    this.attempt = attempt;
    this.retried = retried;
    this.error = error;
  }
}
