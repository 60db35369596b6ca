package dev.decant.kafka.work;

import dev.decant.kafka.work.bridge.RecordSource;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** When and how the loop commits what is done: by the consumer, or in transactions. The loop only. */
interface WorkCommits {
  /** A record is done. */
  void done(long nowNanos);

  /** There is something to commit, within the interval. */
  void schedule(long nowNanos);

  /** When the next commit is due; {@link DueSlots#NEVER} if there is nothing to commit. */
  long dueNanos();

  /** How many more records that are done the loop must hear of at once; {@link LoopWaits#NONE} if it is due anyway. */
  int recordsUntilDue();

  /** No more records are taken: those that are done need not wait for others. */
  default void hurry(long nowNanos) {}

  /** Begins a commit if it is due. */
  void commitIfDue(long nowNanos, Collection<PartitionWork> of, RecordSource<?, ?> by);

  /** Commits now, and waits for the response; what fails is said, and the records come again. */
  void commitNow(Collection<PartitionWork> of, RecordSource<?, ?> by, Duration timeout) throws InterruptedException;

  /** Hears of the end of a commit that has begun; true if records are under way no more. */
  default boolean settle(long nowNanos) {
    return false;
  }

  /** Whether a commit has begun whose outcome is not known: records of it must not be worked on again meanwhile. */
  default boolean isUnsettled() {
    return false;
  }

  /** Whether a partition is not begun as long as the group's coordinator does not say what is done of it. */
  default boolean mustKnowWhatIsDone() {
    return false;
  }

  /** Why nothing can be committed any more; null if it can. */
  default @Nullable Throwable failure() {
    return null;
  }

  /** Partitions were cancelled: what is done of them is not committed. */
  default void dropCancelled() {}

  /** Records that are done and wait for a transaction, or are in one. */
  default int awaitingCommit() {
    return 0;
  }

  /** Gives everything back, at the end. */
  default void close(Duration timeout) {}
}
