package dev.decant.kafka.work.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Offsets were committed, by the consumer or in a transaction. */
@Name("dev.decant.kafka.work.Committed")
@Label("Committed")
@Description("Offsets were committed, by the consumer or in a transaction")
@Category({"Decant", "Kafka Work"})
@StackTrace(false)
final class CommittedEvent extends Event {
  @Label("Group")
  final String group;

  @Label("Partitions")
  final int partitions;

  @Label("Commit Time")
  @Description("From the beginning of the commit or of the transaction to its end")
  @Timespan(Timespan.NANOSECONDS)
  final long commitTime;

  CommittedEvent(String group, int partitions, long nanos) {
    this.group = group;
    this.partitions = partitions;
    this.commitTime = nanos;
  }
}
