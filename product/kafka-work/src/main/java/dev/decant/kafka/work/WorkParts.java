package dev.decant.kafka.work;

import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.kafka.work.bridge.TopicAccess;
import dev.decant.time.Clock;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link WorkLoop} is made of.
 *
 * @param keys reads keys
 * @param values reads values
 * @param handler works on records; null if they are begun only
 * @param batchHandler works on several; null if they are not worked on together
 * @param asyncHandler begins them; null if they are worked on
 * @param copies stores dead letters and records for retry topics; null if there are none
 * @param stages how many partitions each retry topic has, and what reads them; null without retry topics
 * @param listeners hear of failures
 * @param clock of retries and commits
 * @param transactions commits what is done; null if the consumer does
 * @param topics asks the brokers for topics, on a thread that may wait; the caller closes what it gets
 */
record WorkParts<K, V>(Decoder<? extends K> keys, Decoder<? extends V> values,
    @Nullable WorkContextHandler<K, V> handler, @Nullable BatchContextHandler<K, V> batchHandler,
    @Nullable AsyncWorkHandler<K, V> asyncHandler,
    @Nullable CopySink copies, @Nullable Stages stages, WorkListeners listeners, Clock clock,
    @Nullable TransactionParts<K, V> transactions, Supplier<TopicAccess> topics) {
  /**
   * What retry topics need.
   *
   * @param partitions of each topic
   * @param reader reads which keys are pending
   */
  record Stages(List<Integer> partitions, StageReader reader) {}

  /**
   * What transactions are made of.
   *
   * @param runner sends and commits them
   * @param bounds says when
   */
  record TransactionParts<K, V>(TransactionRunner<K, V> runner, TransactionalCommits.Bounds bounds) {}
}
