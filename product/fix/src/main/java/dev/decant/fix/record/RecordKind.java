package dev.decant.fix.record;

/** The kinds of records, as stored in the files. */
public final class RecordKind {
  /** A message was sent. */
  public static final int OUTBOUND = 1;
  /** The number of the next message to be sent was set. Messages from it on are forgotten. */
  public static final int NEXT_OUTBOUND = 2;
  /** A message arrived in its turn. Its bytes are not stored. */
  public static final int INBOUND = 3;
  /** A message arrived in its turn, stored with its bytes. */
  public static final int INBOUND_MESSAGE = 4;
  /** The number of the next message expected was set. */
  public static final int NEXT_INBOUND = 5;
  /** Both numbers were reset to 1. */
  public static final int RESET = 6;
  /** Fills the end of the ring, where the next record did not fit. Not used in segments. */
  public static final int PADDING = 7;

  private RecordKind() {}
}
