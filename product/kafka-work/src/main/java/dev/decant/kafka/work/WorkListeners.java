package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells the listeners, counts what they hear, and keeps what failed last for the status. The loop only. */
final class WorkListeners {
  private static final System.Logger LOG = System.getLogger(WorkListeners.class.getName());

  private final List<WorkListener> listeners;
  private long failedAttempts;
  private long failedRecords;
  private @Nullable String problem;

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
    return problem;
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

  void overdue(int handlers) {
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onHandlerOverdue(handlers));
    }
  }

  void failed(String what, Throwable error) {
    problem = what + ": " + error;
    for (WorkListener listener : listeners) {
      guarded(() -> listener.onProblem(what, error));
    }
  }

  /** What failed last goes well again. */
  void solved() {
    problem = null;
  }

  private static void guarded(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "a listener of the work has thrown", e);
    }
  }
}
