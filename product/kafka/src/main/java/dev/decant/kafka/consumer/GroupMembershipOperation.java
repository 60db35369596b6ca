package dev.decant.kafka.consumer;

/** What a member does when its consumer closes (KIP-1092). */
public enum GroupMembershipOperation {
  /**
   * A dynamic member leaves. A static one announces that it will come back, and keeps its partitions until its session
   * expires.
   */
  DEFAULT,
  /** The member leaves, also a static one: others get its partitions at once. */
  LEAVE_GROUP,
  /** The member stays, and keeps its partitions until its session expires. */
  REMAIN_IN_GROUP
}
