package dev.decant.fix.record;

/** The sequence numbers that follow from the records up to some point. One thread at a time. */
public final class SequenceNumbers {
  private long nextOutbound;
  private long nextInbound;
  private long createdEpochNanos;

  /** Creates the numbers of a session that begins. */
  public SequenceNumbers(long createdEpochNanos) {
    begin(1, 1, createdEpochNanos);
  }

  /** Creates a copy. */
  public SequenceNumbers(SequenceNumbers other) {
    begin(other.nextOutbound, other.nextInbound, other.createdEpochNanos);
  }

  /** Sets all numbers. */
  public void begin(long outbound, long inbound, long created) {
    nextOutbound = outbound;
    nextInbound = inbound;
    createdEpochNanos = created;
  }

  /** Returns the number of the next message to be sent. */
  public long nextOutbound() {
    return nextOutbound;
  }

  /** Returns the number of the next message expected. */
  public long nextInbound() {
    return nextInbound;
  }

  /** Returns when the numbers began, in nanoseconds since the epoch. */
  public long createdEpochNanos() {
    return createdEpochNanos;
  }

  /** Returns true if a record may follow those before. */
  public boolean accepts(int kind, long number) {
    return switch (kind) {
      case RecordKind.OUTBOUND -> number == nextOutbound;
      case RecordKind.INBOUND, RecordKind.INBOUND_MESSAGE -> number == nextInbound;
      case RecordKind.NEXT_OUTBOUND, RecordKind.NEXT_INBOUND -> number >= 1;
      case RecordKind.RESET -> number == 1;
      default -> false;
    };
  }

  /** Throws if a record cannot follow those before: then the session called with a wrong number. */
  public void require(int kind, long number) {
    if (!accepts(kind, number)) {
      throw new IllegalArgumentException("number " + number + " in a record of kind " + kind + "; next outbound is "
          + nextOutbound + ", next inbound " + nextInbound);
    }
  }

  /** Applies a record to the numbers. */
  public void apply(int kind, long number, long epochNanos) {
    switch (kind) {
      case RecordKind.OUTBOUND -> nextOutbound = number + 1;
      case RecordKind.NEXT_OUTBOUND -> nextOutbound = number;
      case RecordKind.INBOUND, RecordKind.INBOUND_MESSAGE -> nextInbound = number + 1;
      case RecordKind.NEXT_INBOUND -> nextInbound = number;
      default -> begin(1, 1, epochNanos);
    }
  }
}
