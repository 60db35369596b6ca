package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes reports of commits, failures and problems. The thread that polls calls the listener and has work for each
 * record, so a listener must not block. An exception of a listener is logged and has no other effect.
 */
public interface WorkListener {
  /**
   * An attempt has failed.
   *
   * @param partition of the record
   * @param offset of the record
   * @param attempt which attempt it was, from 1
   * @param isRetried true if another attempt follows
   * @param error what the handler has thrown
   */
  default void onAttemptFailed(TopicPartition partition, long offset, int attempt, boolean isRetried,
      Throwable error) {}

  /**
   * A record has failed for the last time, and does not come again.
   *
   * @param partition of the record
   * @param offset of the record
   * @param becomes where it goes
   * @param error of the last attempt
   */
  default void onRecordFailed(TopicPartition partition, long offset, AfterFailure becomes, Throwable error) {}

  /**
   * A record goes to a retry topic. Called before the copy is stored.
   *
   * @param partition of the record, which may be one of a retry topic
   * @param offset of the record
   * @param retryTopic takes the copy
   * @param attempts that the record has had
   * @param error of the last attempt; null if the record goes there behind an earlier one of its key
   */
  default void onRetryTopic(TopicPartition partition, long offset, String retryTopic, int attempts,
      @Nullable Throwable error) {}

  /**
   * A handler has worked on a record for longer than its deadline, and was interrupted.
   *
   * @param handlers how many they are
   */
  default void onHandlerOverdue(int handlers) {}

  /**
   * Offsets were committed, by the consumer or in a transaction with results.
   *
   * @param partitions whose offsets they are
   * @param nanos from the beginning of the commit or of the transaction to its end
   */
  default void onCommitted(List<TopicPartition> partitions, long nanos) {}

  /**
   * Something that the work needs has failed, and is tried again: a commit, a dead letter, an executor. Also called
   * once
   * if the brokers do not let the work check the settings of a topic that it writes; the work goes on then.
   *
   * @param what has failed or was not checked, with its topic or partition
   * @param error the cause
   */
  default void onProblem(String what, Throwable error) {}
}
