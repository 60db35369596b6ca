package dev.decant.fake.share;

/** How far a share group is with a record (KIP-932). */
public enum RecordState {
  /** It may be delivered, again if it was delivered before. */
  AVAILABLE,
  /** A member has it, until it acknowledges or its lock ends. */
  ACQUIRED,
  /** A member has processed it. */
  ACKNOWLEDGED,
  /** It is not delivered any more: rejected, delivered too often, aborted, or no record at all. */
  ARCHIVED;

  /** Whether the record has this state for good. */
  public boolean isFinal() {
    return this == ACKNOWLEDGED || this == ARCHIVED;
  }
}
