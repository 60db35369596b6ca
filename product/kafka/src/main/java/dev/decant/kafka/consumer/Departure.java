package dev.decant.kafka.consumer;

/** What becomes of the membership when a consumer is closed (KIP-1092). */
public enum Departure {
  /** A dynamic member leaves; a static one says that it will be back, and keeps its partitions for the session. */
  DEFAULT,
  /** The member leaves for good, also a static one: others get its partitions at once. */
  LEAVE,
  /** The member stays: its partitions stay with it until its session ends by time. */
  STAY
}
