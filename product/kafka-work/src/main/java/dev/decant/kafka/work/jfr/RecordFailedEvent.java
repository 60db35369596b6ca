package dev.decant.kafka.work.jfr;

import dev.decant.kafka.TopicPartition;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A record has failed for the last time. */
@Name("dev.decant.kafka.work.RecordFailed")
@Label("Record Failed")
@Description("A record has failed for the last time")
@Category({"Decant", "Kafka Work"})
@StackTrace(false)
final class RecordFailedEvent extends Event {
  @Label("Topic")
  final String topic;

  @Label("Partition")
  final int partition;

  @Label("Offset")
  final long offset;

  @Label("Becomes")
  @Description("DEAD_LETTER, SKIP, or STOP for the end of the work")
  final String becomes;

  @Label("Error")
  @Description("Its class and message")
  final String error;

  RecordFailedEvent(TopicPartition partition, long offset, String becomes, String error) {
    this.topic = partition.topic();
    this.partition = partition.partition();
    this.offset = offset;
    this.becomes = becomes;
    this.error = error;
  }
}
