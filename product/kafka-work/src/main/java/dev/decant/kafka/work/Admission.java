package dev.decant.kafka.work;

/**
 * What retry topics add to the schedule: records of them wait for their time, and a record goes behind earlier ones of
 * its key that are pending there. The loop only.
 */
interface Admission<K, V> {
  /** A record has a slot. Called before {@link #admits}. */
  void taken(Slot<K, V> slot);

  /** Whether a record whose turn has come may be begun; if not, this has seen to what becomes of it. */
  boolean admits(Slot<K, V> slot);

  /** A record is done: its handler has ended well, or its copy is stored. */
  void done(Slot<K, V> slot);
}
