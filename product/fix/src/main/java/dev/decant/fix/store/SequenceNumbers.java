package dev.decant.fix.store;

/** What the records before some point say of a session's numbers. One thread at a time. */
final class SequenceNumbers {
  private long nextOutbound;
  private long nextInbound;
  private long createdEpochNanos;

  SequenceNumbers(long createdEpochNanos) {
    begin(1, 1, createdEpochNanos);
  }

  /** A copy. */
  SequenceNumbers(SequenceNumbers other) {
    begin(other.nextOutbound, other.nextInbound, other.createdEpochNanos);
  }

  void begin(long outbound, long inbound, long created) {
    nextOutbound = outbound;
    nextInbound = inbound;
    createdEpochNanos = created;
  }

  long nextOutbound() {
    return nextOutbound;
  }

  long nextInbound() {
    return nextInbound;
  }

  long createdEpochNanos() {
    return createdEpochNanos;
  }

  /** Whether a record can follow those before. */
  boolean accepts(int kind, long number) {
    return switch (kind) {
      case RecordKind.OUTBOUND -> number == nextOutbound;
      case RecordKind.INBOUND, RecordKind.INBOUND_MESSAGE -> number == nextInbound;
      case RecordKind.NEXT_OUTBOUND, RecordKind.NEXT_INBOUND -> number >= 1;
      case RecordKind.RESET -> number == 1;
      default -> false;
    };
  }

  /** Throws unless a record can follow those before: a session that calls with another number is wrong. */
  void require(int kind, long number) {
    if (!accepts(kind, number)) {
      throw new IllegalArgumentException("number " + number + " in a record of kind " + kind + "; next outbound is "
          + nextOutbound + ", next inbound " + nextInbound);
    }
  }

  /** Takes a record into account. */
  void apply(int kind, long number, long epochNanos) {
    switch (kind) {
      case RecordKind.OUTBOUND -> nextOutbound = number + 1;
      case RecordKind.NEXT_OUTBOUND -> nextOutbound = number;
      case RecordKind.INBOUND, RecordKind.INBOUND_MESSAGE -> nextInbound = number + 1;
      case RecordKind.NEXT_INBOUND -> nextInbound = number;
      default -> begin(1, 1, epochNanos);
    }
  }
}
