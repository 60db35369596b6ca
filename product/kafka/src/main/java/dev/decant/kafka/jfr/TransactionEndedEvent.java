package dev.decant.kafka.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A transaction was committed or aborted. */
@Name("dev.decant.kafka.TransactionEnded")
@Label("Transaction Ended")
@Description("A transaction was committed or aborted")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class TransactionEndedEvent extends Event {
  @Label("Transactional Id")
  final String transactionalId;

  @Label("Committed")
  @Description("False if it was aborted")
  final boolean committed;

  @Label("Open Time")
  @Description("Since it began")
  @Timespan(Timespan.NANOSECONDS)
  final long openTime;

  @Label("End Time")
  @Description("Since the call of commit or abort, the wait for its records included")
  @Timespan(Timespan.NANOSECONDS)
  final long endTime;

  TransactionEndedEvent(String transactionalId, boolean committed, long nanos, long endNanos) {
    this.transactionalId = transactionalId;
    this.committed = committed;
    this.openTime = nanos;
    this.endTime = endNanos;
  }
}
