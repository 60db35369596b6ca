package dev.decant.kafka.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A fetch got its response. */
@Name("dev.decant.kafka.Fetched")
@Label("Fetched")
@Description("A fetch got its response")
@Category({"Decant", "Kafka"})
@StackTrace(false)
final class FetchedEvent extends Event {
  @Label("Broker")
  @Description("Host and port")
  final String broker;

  @Label("Partitions")
  @Description("Partitions with records")
  final int partitions;

  @Label("Size")
  @Description("Of the response")
  @DataAmount(DataAmount.BYTES)
  final long size;

  FetchedEvent(String broker, int partitions, int bytes) {
    this.broker = broker;
    this.partitions = partitions;
    this.size = bytes;
  }
}
