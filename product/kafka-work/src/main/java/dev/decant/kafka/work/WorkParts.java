package dev.decant.kafka.work;

import dev.decant.kafka.serialization.Decoder;
import dev.decant.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link WorkLoop} is made of.
 *
 * @param keys reads keys
 * @param values reads values
 * @param handler works on records; null if they are begun only
 * @param batchHandler works on several; null if they are not worked on together
 * @param asyncHandler begins them; null if they are worked on
 * @param deadLetters where failed records go; null if they do not
 * @param listeners hear of failures
 * @param clock of retries and commits
 * @param transactions commits what is done; null if the consumer does
 */
record WorkParts<K, V>(Decoder<? extends K> keys, Decoder<? extends V> values,
    @Nullable WorkContextHandler<K, V> handler, @Nullable BatchWorkHandler<K, V> batchHandler,
    @Nullable AsyncWorkHandler<K, V> asyncHandler,
    @Nullable DeadLetters deadLetters, WorkListeners listeners, Clock clock,
    @Nullable TransactionParts<K, V> transactions) {
  /**
   * What transactions are made of.
   *
   * @param runner sends and commits them
   * @param bounds says when
   */
  record TransactionParts<K, V>(TransactionRunner<K, V> runner, TransactionalCommits.Bounds bounds) {}
}
