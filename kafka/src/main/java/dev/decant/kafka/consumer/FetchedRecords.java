package dev.decant.kafka.consumer;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Record batches of one partition in a response, on their way to the polling thread.
 *
 * @param broker who sent them, for messages
 * @param partition whose they are
 * @param seeks the partition's number of seeks when they were asked for
 * @param fetchOffset the offset that was asked for
 * @param records the batches, in the response's memory
 * @param aborted transactions of which no record is for the application; null for none
 * @param memory to be released with the last user of the response
 */
record FetchedRecords(String broker, AssignedPartition partition, int seeks, long fetchOffset, ByteBuffer records,
    @Nullable AbortedTransactions aborted, ResponseMemory memory) {

  private static final ByteBuffer NO_RECORDS = ByteBuffer.allocate(0);
  private static final ResponseMemory NO_MEMORY = new ResponseMemory(null, () -> {});

  /** No records, but word that reading goes on elsewhere than the polling thread believes. Owner of the loop. */
  static FetchedRecords jump(AssignedPartition p) {
    return new FetchedRecords("", p, p.fetchSeeks, p.fetchOffset, NO_RECORDS, null, NO_MEMORY);
  }

  boolean isJump() {
    return !records.hasRemaining();
  }
}
