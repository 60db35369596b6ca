package dev.decant.kafka.work;

/**
 * What retry topics add to the schedule. Their records wait until they are due, and a record goes behind earlier
 * records of its key that are pending in a retry topic. The loop only.
 */
interface Admission<K, V> {
  /** A record has a slot. Called before {@link #admits}. */
  void taken(Slot<K, V> slot);

  /**
   * Returns true if a record whose turn has come may be begun. If it returns false, it has decided what becomes of the
   * record.
   */
  boolean admits(Slot<K, V> slot);

  /** A record is done: its handler has ended well, or its copy is stored. */
  void done(Slot<K, V> slot);
}
