package dev.decant.kafka.producer;

/** The replicas that must have a record before it counts as stored; Kafka's {@code acks}. */
public enum Acks {
  /** No replica: the record counts as sent when it is written to the socket. */
  NONE(0),
  /** The leader. */
  LEADER(1),
  /** All in-sync replicas. */
  ALL(-1);

  private final short wire;

  Acks(int wire) {
    this.wire = (short) wire;
  }

  static Acks of(long wire) {
    for (Acks acks : values()) {
      if (acks.wire == wire) {
        return acks;
      }
    }
    throw new IllegalArgumentException("acks: " + wire + " is none of -1, 0 and 1");
  }

  short wire() {
    return wire;
  }
}
