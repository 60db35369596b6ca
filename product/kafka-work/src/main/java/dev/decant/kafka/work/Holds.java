package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;

/**
 * Why partitions take no records for now, and the pauses of the consumer that follow: a partition is paused while there
 * is at least one reason. The loop only.
 */
final class Holds {
  /** The partition is at its bound of records under way. */
  static final int BOUND = 1;
  /** Records of an earlier assignment still run. */
  static final int LEAVING = 2;
  /** The pending keys of the partition's retry topics are not known yet. */
  static final int ORDER = 4;
  /** The next record is not due, and there is no slot in which it could wait. */
  static final int DUE = 8;
  /** Too many records are pending in retry topics. */
  static final int CEILING = 16;
  /** The work is paused by its user. */
  static final int USER = 32;

  private static final int FOR_ROOM = BOUND | LEAVING;

  /** Pauses and resumes a partition. */
  @FunctionalInterface
  interface Pauses {
    void set(TopicPartition partition, boolean isPaused);
  }

  private final Pauses pauses;
  private int forRoom;
  private long boundPauses;

  Holds(Pauses pauses) {
    this.pauses = pauses;
  }

  /** Number of partitions that wait until some of their records are done. */
  int forRoom() {
    return forRoom;
  }

  /** How often a partition has reached its bound. */
  long boundPauses() {
    return boundPauses;
  }

  static boolean isForRoom(PartitionWork partition) {
    return (partition.holds & FOR_ROOM) != 0;
  }

  void add(PartitionWork partition, int why) {
    change(partition, partition.holds | why);
  }

  void remove(PartitionWork partition, int why) {
    change(partition, partition.holds & ~why);
  }

  private void change(PartitionWork partition, int holds) {
    int before = partition.holds;
    partition.holds = holds;
    boundPauses += holds & ~before & BOUND;
    forRoom += ((holds & FOR_ROOM) != 0 ? 1 : 0) - ((before & FOR_ROOM) != 0 ? 1 : 0);
    if ((holds != 0) != (before != 0)) {
      pauses.set(partition.id, holds != 0);
    }
  }

  /** Forgets the holds of a partition that is not assigned any more. */
  void forget(PartitionWork partition) {
    if (isForRoom(partition)) {
      forRoom--;
    }
    partition.holds = 0;
  }
}
