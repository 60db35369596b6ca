package dev.decant.kafka.work;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link WorkBuilder}, with their defaults filled in.
 *
 * @param group the consumer group
 * @param topics what it reads
 * @param order which records wait for each other
 * @param concurrency records that are worked on at once
 * @param batchRecords that a handler of batches gets at most
 * @param where on which threads
 * @param threads makes the workers' threads; null if they have none of their own
 * @param executor runs the workers; null if they have threads of their own, or the polling thread
 * @param maxUnderWay records that were taken and are not done
 * @param maxUnderWayPerPartition the same for one partition; 0 to share them evenly
 * @param maxBytes of them
 * @param retry for failed records
 * @param afterFailure for those that are not tried again
 * @param deadLetters their topic, where that is {@link AfterFailure#DEAD_LETTER}
 * @param headerNames of dead letters
 * @param commitIntervalNanos how often offsets are committed
 * @param commitRecords after how many records they are committed before that
 * @param metadataCharacters what the broker takes beside a committed offset
 * @param handlerTimeoutNanos when a handler is interrupted; 0 for never
 * @param revocationTimeoutNanos how long the revocation of a partition waits for its handlers
 * @param largeLetters what follows if a copy of a record is too large
 */
record WorkSettings(String group, List<String> topics, Order order, int concurrency,
    int batchRecords, Where where, @Nullable ThreadFactory threads, @Nullable Executor executor, int maxUnderWay,
    int maxUnderWayPerPartition,
    long maxBytes, Retry retry, AfterFailure afterFailure, String deadLetters, HeaderNames headerNames,
    long commitIntervalNanos, int commitRecords, int metadataCharacters, long handlerTimeoutNanos,
    long revocationTimeoutNanos, LargeLetters largeLetters) {
  /** The topics that copies of records go to. */
  List<String> writtenTopics() {
    List<String> written = new ArrayList<>();
    if (afterFailure == AfterFailure.DEAD_LETTER) {
      written.add(deadLetters);
    }
    RetryTopics stages = retry.topics();
    if (stages != null) {
      written.addAll(stages.names());
    }
    return written;
  }

  /** Returns true if retry topics keep the order of keys. */
  boolean isOrderedInRetryTopics() {
    RetryTopics topics = retry.topics();
    return topics != null && order == Order.BY_KEY && !topics.isEndingOrder();
  }

  /** The threads that handlers run on. */
  enum Where {
    THREADS,
    EXECUTOR,
    POLLING_THREAD
  }
}
