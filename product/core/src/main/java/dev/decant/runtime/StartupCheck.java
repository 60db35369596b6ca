package dev.decant.runtime;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A check of this JVM on a short-lived daemon thread, which logs each finding once per process. A client that is being
 * opened neither waits for it nor fails with it. Thread-safe.
 */
public final class StartupCheck {
  private final FutureTask<List<Finding>> task;

  private StartupCheck(FutureTask<List<Finding>> task) {
    this.task = task;
  }

  /**
   * Starts the check. Findings are logged under the name of {@link RuntimeCheck}.
   *
   * @param workload the load to expect
   * @return the running check
   */
  public static StartupCheck begin(Workload workload) {
    return begin(new Examination(workload));
  }

  static StartupCheck begin(Examination examination) {
    FutureTask<List<Finding>> task = new FutureTask<>(examination);
    try {
      Thread.ofPlatform().name("decant-runtime-check").daemon(true).inheritInheritableThreadLocals(false).start(task);
    } catch (OutOfMemoryError e) { // the system has no thread to spare, which later errors report more clearly
      task.cancel(false);
    }
    return new StartupCheck(task);
  }

  /**
   * The task of the thread. It is a class, because the first lambdas of a JVM take milliseconds of the opening thread.
   */
  static class Examination implements Callable<List<Finding>> {
    private final Workload workload;

    Examination(Workload workload) {
      this.workload = workload;
    }

    RuntimeCheck check() {
      return RuntimeCheck.run(workload);
    }

    System.Logger logger() {
      return System.getLogger(RuntimeCheck.class.getName());
    }

    @Override
    public List<Finding> call() {
      RuntimeCheck done = check();
      try {
        if (!done.findings().isEmpty()) { // without findings no logger is loaded: a JVM's first one takes time
          done.logOnce(logger());
        }
      } catch (RuntimeException | Error e) {
        // No logger can be used, so the findings are not logged; the result still has them.
      }
      return done.findings();
    }
  }

  /**
   * Returns the findings; waits for the check to end.
   *
   * @param timeout how long to wait at most; not positive for no wait
   * @return findings. Empty if there are none, the check failed, or it does not end in time. Also empty if the
   *     thread was interrupted while it waited; it stays interrupted
   */
  public List<Finding> findings(Duration timeout) {
    try {
      return task.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    } catch (CancellationException | ExecutionException | TimeoutException e) {
      // The check is advice: no client may fail for it.
      return List.of();
    }
  }
}
