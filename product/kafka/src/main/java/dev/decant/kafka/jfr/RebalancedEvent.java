package dev.decant.kafka.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A member of a group has revoked and added partitions. */
@Name("dev.decant.kafka.Rebalanced")
@Label("Rebalanced")
@Description("A member of a group has revoked and added partitions")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class RebalancedEvent extends Event {
  @Label("Group")
  final String group;

  @Label("Revoked")
  @Description("How many partitions it has revoked")
  final int revoked;

  @Label("Assigned")
  @Description("How many partitions it has taken")
  final int assigned;

  @Label("Partitions")
  @Description("How many partitions it has now")
  final int partitions;

  RebalancedEvent(String group, int revoked, int assigned, int now) {
    this.group = group;
    this.revoked = revoked;
    this.assigned = assigned;
    this.partitions = now;
  }
}
