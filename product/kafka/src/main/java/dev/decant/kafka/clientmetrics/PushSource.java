package dev.decant.kafka.clientmetrics;

import java.util.Map;

/** A producer or a consumer whose metrics may be pushed. Called by the owner of the loop. */
public interface PushSource {
  /** The rack of a client. */
  String CLIENT_RACK = "client_rack";
  /** The group of a consumer. */
  String GROUP_ID = "group_id";
  /** The instance id of a static member. */
  String GROUP_INSTANCE_ID = "group_instance_id";
  /** The member id that the group knows. */
  String GROUP_MEMBER_ID = "group_member_id";
  /** The transactional id of a producer. */
  String TRANSACTIONAL_ID = "transactional_id";

  /**
   * Which of both it is.
   *
   * @return false for a consumer
   */
  boolean isProducer();

  /**
   * Attributes of the resource that the metrics are of (KIP-714), under the names of this interface.
   *
   * @return a copy
   */
  Map<String, String> labels();

  /**
   * Partitions of a consumer.
   *
   * @return how many there are now; 0 for a producer
   */
  int assignedPartitions();

  /**
   * How far a consumer is behind the end of a partition, of the partition where that is most.
   *
   * @return records, offsets without one included; -1 if it is not known, or for a producer
   */
  long largestLag();
}
