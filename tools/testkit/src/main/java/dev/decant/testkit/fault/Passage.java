package dev.decant.testkit.fault;

/** Whether the bytes of one direction pass a proxy. In each case connections stay open, and new ones are accepted. */
public enum Passage {
  /** Bytes pass. */
  OPEN,
  /** Bytes wait, and so does the end of a stream. They continue when the direction is open again. */
  STALLED,
  /**
   * Bytes are read and dropped, and so is the end of a stream. TCP never loses bytes from the middle of a stream, so a
   * connection that has lost bytes is reset when the direction is open again.
   */
  LOST
}
