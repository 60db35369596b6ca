package dev.decant.kafka.clientmetrics;

import java.util.Map;

/** A producer or a consumer whose metrics may be pushed. Called by the owner of the loop. */
public interface PushSource {
  /** Label of the client's rack. */
  String CLIENT_RACK = "client_rack";
  /** Label of a consumer's group. */
  String GROUP_ID = "group_id";
  /** Label of a static member's instance id. */
  String GROUP_INSTANCE_ID = "group_instance_id";
  /** Label of the member id. */
  String GROUP_MEMBER_ID = "group_member_id";
  /** Label of a producer's transactional id. */
  String TRANSACTIONAL_ID = "transactional_id";

  /** Returns true for a producer, false for a consumer. */
  boolean isProducer();

  /**
   * Returns the attributes of the metrics' resource (KIP-714), under the names of this interface. The map is a copy.
   */
  Map<String, String> labels();

  /** Returns the number of a consumer's partitions; 0 for a producer. */
  int assignedPartitions();

  /** Returns the largest lag of a consumer's partitions, in offsets; -1 if none is known, and for a producer. */
  long largestLag();
}
