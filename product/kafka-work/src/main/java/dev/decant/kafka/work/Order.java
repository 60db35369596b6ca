package dev.decant.kafka.work;

/** Which records wait for each other. */
public enum Order {
  /**
   * Records of one key and partition are worked on one after the other, in the order of their offsets. Keys are the
   * same if their bytes are. Records without a key wait for nothing.
   */
  BY_KEY,
  /** Records of one partition are worked on one after the other, in the order of their offsets. */
  BY_PARTITION,
  /** No record waits for another. */
  NONE
}
