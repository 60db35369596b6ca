package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link Work} at a moment.
 *
 * @param state what it does
 * @param failure why it has ended; null if it has not, or was closed
 * @param underWay records that were taken and are not done: those below, and those that wait for their turn. With
 *     transactions, those that are not committed
 * @param underWayBytes the memory of their copies
 * @param working records that handlers work on
 * @param awaitingRetry records that wait for their next attempt, or until their copy is stored in a retry topic
 * @param awaitingDeadLetter records whose copy is on its way to the dead-letter topic, or could not be stored yet
 * @param awaitingCommit records that are done and wait for their transaction, or are in one; 0 without transactions
 * @param done records whose handler ended well since the start; those that were skipped or became dead letters are not
 *     among them
 * @param failedAttempts attempts that have failed since the start
 * @param failedRecords records that have failed for the last time since the start
 * @param problem what failed last that the work itself needs, since it last went well; null if nothing
 * @param partitions those that are assigned, of retry topics too
 * @param oldestUnderWay since the oldest record under way was taken; zero if none is
 * @param boundPauses how often the work, or a partition of it, has stopped taking records at a bound since the start
 * @param retryTopics how many records are pending in each retry topic; empty if there are none
 */
public record WorkStatus(State state, @Nullable Throwable failure, int underWay, long underWayBytes, int working,
    int awaitingRetry, int awaitingDeadLetter, int awaitingCommit, long done, long failedAttempts, long failedRecords,
    @Nullable String problem, List<PartitionStatus> partitions, Duration oldestUnderWay, long boundPauses,
    List<RetryTopicStatus> retryTopics) {
  /** Copies the lists. */
  public WorkStatus {
    partitions = List.copyOf(partitions);
    retryTopics = List.copyOf(retryTopics);
  }

  /** The state of a {@link Work} as a whole. */
  public enum State {
    /** The work takes records. */
    RUNNING,
    /** The work takes no records, and works on those that it has. */
    PAUSED,
    /** The work is being closed. */
    CLOSING,
    /** The work has ended. */
    CLOSED
  }

  /**
   * The state of a partition.
   *
   * @param partition the partition
   * @param committed the offset that was committed last by this work; -1 if none was
   * @param firstNotDone the oldest record that is not done; the next one to be taken if all are
   * @param underWay records that were taken and are not done, or wait for one before them
   * @param lag records behind those that were taken, as the broker said last; -1 if it is not known
   */
  public record PartitionStatus(TopicPartition partition, long committed, long firstNotDone, int underWay, long lag) {}

  /**
   * The state of a retry topic.
   *
   * @param topic its name
   * @param pending records of the assigned partitions that are not done: those that wait in the topic, and those of it
   *     that are under way
   */
  public record RetryTopicStatus(String topic, long pending) {}

  /**
   * Tells whether the work has not failed, and nothing that it needs fails.
   *
   * @return false with a {@link #failure} or a {@link #problem}
   */
  public boolean isHealthy() {
    return failure == null && problem == null;
  }
}
