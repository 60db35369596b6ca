package dev.decant.kafka.consumer;

/** What a member does when its consumer closes (KIP-1092). */
public enum Departure {
  /**
   * A dynamic member leaves. A static one announces that it will come back, and keeps its partitions until its session
   * expires.
   */
  DEFAULT,
  /** The member leaves, also a static one: others get its partitions at once. */
  LEAVE,
  /** The member stays, and keeps its partitions until its session expires. */
  STAY
}
