package dev.decant.kafka.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A batch of records is stored. */
@Name("dev.decant.kafka.BatchAcknowledged")
@Label("Batch Acknowledged")
@Description("A batch of records is stored")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class BatchAcknowledgedEvent extends Event {
  @Label("Topic")
  final String topic;

  @Label("Partition")
  final int partition;

  @Label("Base Offset")
  @Description("Offset of its first record; -1 if unknown")
  final long baseOffset;

  @Label("Records")
  final int records;

  @Label("Size")
  @Description("Of the batch as it was sent")
  @DataAmount(DataAmount.BYTES)
  final long size;

  @Label("Latency")
  @Description("Since its first record was appended")
  @Timespan(Timespan.NANOSECONDS)
  final long latency;

  BatchAcknowledgedEvent(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {
    this.topic = topic;
    this.partition = partition;
    this.baseOffset = baseOffset;
    this.records = records;
    this.size = bytes;
    this.latency = nanos;
  }
}
