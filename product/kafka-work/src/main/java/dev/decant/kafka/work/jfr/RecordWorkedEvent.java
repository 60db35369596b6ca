package dev.decant.kafka.work.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** An attempt to work on a record took longer than the threshold. */
@Name("dev.decant.kafka.work.RecordWorked")
@Label("Record Worked")
@Description("An attempt to work on a record, or on a batch whose first record this is, took longer than the threshold")
@Category({"Decant", "Kafka Work"})
@StackTrace(false)
@Threshold("20 ms")
final class RecordWorkedEvent extends Event {
  @Label("Topic")
  @Nullable
  String topic;

  @Label("Partition")
  int partition;

  @Label("Offset")
  long offset;

  @Label("Records")
  @Description("More than one for a batch")
  int records;

  @Label("Attempt")
  @Description("From 1; 0 for a batch")
  int attempt;

  @Label("Error")
  @Description("The class of what the handler has thrown; null if it ended well")
  @Nullable
  String error;
}
