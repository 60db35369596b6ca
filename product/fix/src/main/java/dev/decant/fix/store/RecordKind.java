package dev.decant.fix.store;

/** The kinds of records, as the files have them. */
final class RecordKind {
  /** A message that was sent. */
  static final int OUTBOUND = 1;
  /** The number of the next message to be sent was set; messages from it on are forgotten. */
  static final int NEXT_OUTBOUND = 2;
  /** A message arrived in its turn; its bytes are not kept. */
  static final int INBOUND = 3;
  /** A message arrived in its turn, with its bytes. */
  static final int INBOUND_MESSAGE = 4;
  /** The number of the next message expected was set. */
  static final int NEXT_INBOUND = 5;
  /** The numbers began anew. */
  static final int RESET = 6;
  /** Fills the end of the ring, where the next record did not fit; in no segment. */
  static final int PADDING = 7;

  private RecordKind() {}
}
