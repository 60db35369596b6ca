package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls the listeners, counts failures, and keeps the last problem of each need for the status. The loop only. */
final class WorkListeners {
  /** Something that the work needs, and that can fail. */
  enum Need {
    TOPICS,
    COMMITS,
    OFFSETS,
    DEAD_LETTERS,
    RETRY_TOPICS,
    RETRY_ORDER,
    RETRY_CEILING,
    EXECUTOR,
    END
  }

  private static final System.Logger LOG = System.getLogger(WorkListeners.class.getName());

  private final List<WorkListener> listeners;
  private long failedAttempts;
  private long failedRecords;
  /** The last failure of each need, until the need is met again. */
  private final Map<Need, String> problems = new EnumMap<>(Need.class);

  WorkListeners(List<WorkListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  long failedAttempts() {
    return failedAttempts;
  }

  long failedRecords() {
    return failedRecords;
  }

  @Nullable
  String problem() {
    return problems.isEmpty() ? null : String.join("; ", problems.values());
  }

  void attemptFailed(TopicPartition partition, long offset, int attempt, boolean isRetried, Throwable error) {
    failedAttempts++;
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onAttemptFailed(partition, offset, attempt, isRetried, error));
    }
  }

  void recordFailed(TopicPartition partition, long offset, AfterFailure becomes, Throwable error) {
    failedRecords++;
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onRecordFailed(partition, offset, becomes, error));
    }
  }

  void retryTopic(TopicPartition partition, long offset, String topic, int attempts, @Nullable Throwable error) {
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onRetryTopic(partition, offset, topic, attempts, error));
    }
  }

  /** Returns true if there are listeners: else no time needs to be measured. */
  boolean isAny() {
    return !listeners.isEmpty();
  }

  void committed(Collection<TopicPartition> partitions, long nanos) {
    if (listeners.isEmpty()) {
      return;
    }
    List<TopicPartition> all = List.copyOf(partitions);
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onCommitted(all, nanos));
    }
  }

  void overdue(int handlers) {
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onHandlerOverdue(handlers));
    }
  }

  void failed(Need need, String what, Throwable error) {
    problems.put(need, what + ": " + error);
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onProblem(what, error));
    }
  }

  /** Reports a topic that was not checked when the work opened. That is no problem of the status. */
  void unchecked(String what, Throwable error) {
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onProblem(what, error));
    }
  }

  /** Ends the problem of a need that is met again. */
  void solved(Need need) {
    if (!problems.isEmpty()) {
      problems.remove(need);
    }
  }

  private static void guarded(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "a listener of the work has thrown", e);
    } finally {
      Thread.interrupted(); // a listener that has interrupted the loop's thread would end its next poll
    }
  }
}
