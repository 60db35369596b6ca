package dev.decant.kafka.consumer;

/**
 * A partition as a fetch request asked for it: a seek may come between the request and its answer.
 *
 * @param partition the partition
 * @param seeks its number of seeks then
 * @param fetchOffset the offset asked for
 */
record AskedPartition(AssignedPartition partition, int seeks, long fetchOffset) {
  /** Whether the answer is still wanted. Owner of the loop only. */
  boolean isCurrent() {
    return !partition.removed && partition.fetchSeeks == seeks && partition.fetchOffset == fetchOffset;
  }
}
