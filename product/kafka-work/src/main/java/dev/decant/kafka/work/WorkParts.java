package dev.decant.kafka.work;

import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.kafka.work.bridge.TopicAccess;
import dev.decant.time.Clock;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a {@link WorkLoop}.
 *
 * @param keys reads keys
 * @param values reads values
 * @param handler works on records one by one; null with another kind of handler
 * @param batchHandler works on several records at once; null with another kind of handler
 * @param asyncHandler begins records; null with another kind of handler
 * @param copies stores dead letters and records for retry topics; null if there are none
 * @param stages how many partitions each retry topic has, and what reads them; null without retry topics
 * @param listeners hear of failures
 * @param clock of retries and commits
 * @param transactions commit what is done; null if the consumer does
 * @param topics asks the brokers for topics, on a thread that may wait; the caller closes what it gets
 */
record WorkParts<K, V>(Decoder<? extends K> keys, Decoder<? extends V> values,
    @Nullable WorkContextHandler<K, V> handler, @Nullable BatchContextHandler<K, V> batchHandler,
    @Nullable AsyncWorkHandler<K, V> asyncHandler,
    @Nullable CopySink copies, @Nullable Stages stages, WorkListeners listeners, Clock clock,
    @Nullable TransactionParts<K, V> transactions, Supplier<TopicAccess> topics) {
  /**
   * The parts that retry topics need.
   *
   * @param partitions of each topic
   * @param reader reads which keys are pending
   */
  record Stages(List<Integer> partitions, StageReader reader) {}

  /**
   * The parts of transactions.
   *
   * @param runner sends and commits them
   * @param bounds say when a transaction begins
   */
  record TransactionParts<K, V>(TransactionRunner<K, V> runner, TransactionalCommits.Bounds bounds) {}
}
