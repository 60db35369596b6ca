package dev.decant.kafka.work;

import dev.decant.kafka.work.bridge.RecordSource;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** When and how the loop commits what is done: by the consumer, or in transactions. The loop only. */
interface WorkCommits {
  /** Notes that a record is done. */
  void done(long nowNanos);

  /** Has a commit follow within the interval. */
  void schedule(long nowNanos);

  /** When the next commit is due; {@link DueSlots#NEVER} if there is nothing to commit. */
  long dueNanos();

  /** The number of further done records at which a commit is due; {@link LoopWaits#NONE} if only time makes one due. */
  int recordsUntilDue();

  /** Makes a commit due: no more records are taken, so those that are done need not wait for others. */
  default void hurry(long nowNanos) {}

  /** Begins a commit if it is due. */
  void commitIfDue(long nowNanos, Collection<PartitionWork> of, RecordSource<?, ?> by);

  /** Commits now, and waits for the response. A failure is reported, and the records come again. */
  void commitNow(Collection<PartitionWork> of, RecordSource<?, ?> by, Duration timeout) throws InterruptedException;

  /** Takes the end of a commit that has begun. Returns true if that has freed records. */
  default boolean settle(long nowNanos) {
    return false;
  }

  /** Returns true while the outcome of a commit is not known. Its records must not be worked on again meanwhile. */
  default boolean isUnsettled() {
    return false;
  }

  /** Returns true if no partition may begin before the coordinator has said which of its records are done. */
  default boolean mustKnowWhatIsDone() {
    return false;
  }

  /** Why no further commit is possible; null while commits are. */
  default @Nullable Throwable failure() {
    return null;
  }

  /** Drops records of cancelled partitions, which must not be committed. */
  default void dropCancelled() {}

  /** Number of records that are done and wait for a transaction, or are in one. */
  default int awaitingCommit() {
    return 0;
  }

  /** Releases everything at the end. */
  default void close(Duration timeout) {}
}
