package dev.decant.fake.share;

/** The state of a record in a share group (KIP-932). */
public enum RecordState {
  /** The record may be delivered, for the first time or again. */
  AVAILABLE,
  /** A member has acquired the record, until it acknowledges or its lock expires. */
  ACQUIRED,
  /** A member has processed the record. */
  ACKNOWLEDGED,
  /** The record is not delivered any more: rejected, delivered too often, aborted, or no record at all. */
  ARCHIVED;

  /** Returns true if the state is final. */
  public boolean isFinal() {
    return this == ACKNOWLEDGED || this == ARCHIVED;
  }
}
