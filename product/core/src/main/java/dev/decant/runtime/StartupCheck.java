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
 * A check of this JVM on a short-lived daemon thread, which logs what it finds once per process. For clients that are
 * being opened: they neither wait for it nor fail with it. Thread-safe.
 */
public final class StartupCheck {
  private final FutureTask<List<Finding>> task;

  private StartupCheck(FutureTask<List<Finding>> task) {
    this.task = task;
  }

  /**
   * Starts the check. Findings are logged under the name of {@link RuntimeCheck}.
   *
   * @param workload what the JVM is to bear
   * @return the running check
   */
  public static StartupCheck begin(Workload workload) {
    return begin(new Examination(workload));
  }

  static StartupCheck begin(Examination examination) {
    FutureTask<List<Finding>> task = new FutureTask<>(examination);
    try {
      Thread.ofPlatform().name("decant-runtime-check").daemon(true).inheritInheritableThreadLocals(false).start(task);
    } catch (OutOfMemoryError e) { // the system has no thread to spare, which other threads will tell more clearly
      task.cancel(false);
    }
    return new StartupCheck(task);
  }

  /** What the thread does. A class and not lambdas, the first of which take milliseconds of the thread that begins. */
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
        if (!done.findings().isEmpty()) { // the first logger of a JVM takes its time, too
          done.logOnce(logger());
        }
      } catch (RuntimeException | Error e) {
        // there is no logger to be had, and so nobody to tell; the findings stand
      }
      return done.findings();
    }
  }

  /**
   * The findings. Waits until they are known.
   *
   * @param timeout how long at most; not positive to only look
   * @return findings. Empty if there are none, the check failed, or it is not done in time. Also empty if the thread
   *     was interrupted while it waited; it stays interrupted
   */
  public List<Finding> findings(Duration timeout) {
    try {
      return task.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    } catch (CancellationException | ExecutionException | TimeoutException e) {
      // this is advice: nobody fails for want of it
      return List.of();
    }
  }
}
