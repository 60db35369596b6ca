package dev.decant.kafka.work;

import java.util.concurrent.TimeUnit;

/** Runs tasks that wait for brokers on short-lived threads, one task at a time. The loop only. */
final class LoopRuns implements StageOrder.Runs {
  private static final long GRACE_MILLIS = TimeUnit.SECONDS.toMillis(5);

  private final String name;
  private final WorkControl control;
  private Thread thread = new Thread(() -> {});

  LoopRuns(String group, String purpose, WorkControl control) {
    this.name = "decant-work-" + group + "-" + purpose;
    this.control = control;
  }

  @Override
  public void elsewhere(Runnable task) {
    thread = Thread.ofPlatform().name(name).daemon(true).start(task);
  }

  @Override
  public void onLoop(Runnable task) {
    control.request(task);
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(GRACE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
