package dev.decant.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Waits for the owner of a loop to sleep, for tests that run tasks inline. */
public final class SleepingOwner {
  private static final long PATIENCE_SECONDS = 20;

  private SleepingOwner() {}

  /** Runs a task inline as soon as the owner sleeps, and rethrows its exception. */
  public static void runInline(EventLoop loop, Runnable task) {
    AtomicReference<@Nullable AssertionError> failed = new AtomicReference<>();
    Runnable checked = () -> {
      try {
        task.run();
      } catch (AssertionError e) {
        failed.set(e);
      }
    };
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    boolean done = false;
    while (!done && endNanos - System.nanoTime() > 0) {
      done = loop.tryRunInline(checked);
    }
    assertThat(done).as("the owner sleeps at some time").isTrue();
    assertThat(failed.get()).isNull();
  }
}
