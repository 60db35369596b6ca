package dev.decant.testkit.fault;

/** Whether bytes of one direction go through a proxy. Connections stay open, and new ones are accepted, in any case. */
public enum Passage {
  /** They do. */
  OPEN,
  /** They wait, and so does the end of a side. They continue where they were when it is open again. */
  STALLED,
  /**
   * They are taken and lost, and so is the end of a side. TCP never loses bytes from the middle of a stream, so a
   * connection that has lost some is reset when the direction is open again.
   */
  LOST
}
