package dev.decant.kafka.consumer;

/** Where to begin without a position, or when the position is out of range; Kafka's {@code auto.offset.reset}. */
public enum OffsetReset {
  /** At the oldest record. */
  EARLIEST(-2),
  /** After the newest record. */
  LATEST(-1),
  /** Nowhere: {@code poll} throws. */
  NONE(0);

  private final long timestamp;

  OffsetReset(long timestamp) {
    this.timestamp = timestamp;
  }

  /** The special timestamp that ListOffsets takes for it. */
  long timestamp() {
    return timestamp;
  }
}
