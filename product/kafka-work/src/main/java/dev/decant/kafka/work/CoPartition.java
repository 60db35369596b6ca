package dev.decant.kafka.work;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The partitions with one number: of the main topics and of all retry topics. Their records have the same keys, so one
 * member must have all of them to keep the order of a key. The loop only.
 */
final class CoPartition {
  enum State {
    /** Some of its partitions are not assigned to this member. */
    INCOMPLETE,
    /** The pending keys have to be read from the retry topics. */
    UNREAD,
    READING,
    READY
  }

  final int number;
  /** The assigned partitions, by topic. */
  final Map<String, PartitionWork> parts = new HashMap<>();
  /** The keys of the records that are pending in each retry topic, from the first. */
  final PendingKeys[] pending;
  /** The offset up to which the pending keys of each retry topic were read when the partitions came. */
  final long[] readTo;
  /** Copies on their way to each retry topic. */
  final int[] inFlight;
  State state = State.INCOMPLETE;
  /** When the assignment became incomplete, on the loop's clock. */
  long sinceNanos;
  boolean isReported;
  /** Counts the assignments, so that what was read for an earlier one is known to be old. */
  int version;
  /**
   * Names the table of each retry topic in the headers of copies. A record that names another table, and lies behind
   * what was read, has not been counted here: it is counted when it is taken.
   */
  final long[] table;

  CoPartition(int number, int stages, long nowNanos) {
    this.number = number;
    this.pending = new PendingKeys[stages];
    this.readTo = new long[stages];
    this.inFlight = new int[stages];
    this.table = new long[stages];
    reset(nowNanos);
  }

  /** Forgets the assignment: the partitions have to be assigned anew. */
  final void reset(long nowNanos) {
    parts.clear();
    state = State.INCOMPLETE;
    sinceNanos = nowNanos;
    isReported = false;
    version++;
    for (int i = 0; i < pending.length; i++) {
      readTo[i] = 0;
      inFlight[i] = 0;
      clear(i);
    }
  }

  /**
   * Forgets what is pending in a retry topic, because nothing is left there. A copy that is found later is counted
   * then.
   */
  final void clear(int index) {
    pending[index] = new PendingKeys();
    do {
      table[index] = ThreadLocalRandom.current().nextLong();
    } while (table[index] == 0);
  }

  /** Returns true if a partition belongs to this assignment. */
  boolean has(PartitionWork part) {
    return part.equals(parts.get(part.id.topic()));
  }
}
