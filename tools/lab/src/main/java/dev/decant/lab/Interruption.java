package dev.decant.lab;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a measurement in good order after Ctrl-C or SIGTERM. The JVM then calls its shutdown hooks and ends when they
 * return. The hook here interrupts the measuring thread, unless that thread is in a section that must be completed. It
 * waits until the thread has written its results, and halts the JVM with the exit code of an interrupted command.
 *
 * <p>The lab's child JVMs do not receive the terminal's Ctrl-C; their parent ends them.
 */
final class Interruption implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Thread measuring = Thread.currentThread();
  private final Runnable onInterrupt;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("interruption").unstarted(this::interrupt);
  private volatile boolean interrupted;
  // True while the measuring thread may be interrupted. Guarded by the monitor, so that no interrupt comes later.
  private boolean interruptible;

  private Interruption(Runnable onInterrupt) {
    this.onInterrupt = onInterrupt;
  }

  /** Installs the hook for the calling thread, until it is closed. */
  static Interruption of(Runnable onInterrupt) {
    Interruption interruption = new Interruption(onInterrupt);
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  private void interrupt() {
    interrupted = true;
    onInterrupt.run();
    synchronized (this) {
      if (interruptible) {
        measuring.interrupt();
      }
    }
    try {
      var unused = over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // no code interrupts a shutdown hook
    }
    Runtime.getRuntime().halt(Decant.INTERRUPTED);
  }

  boolean isInterrupted() {
    return interrupted;
  }

  /** Allows interrupts of the measuring thread from here on. */
  synchronized void enter() {
    interruptible = true;
    if (interrupted) {
      measuring.interrupt();
    }
  }

  /** Forbids interrupts of the measuring thread: the section that follows must be completed. */
  synchronized void leave() {
    interruptible = false;
    var unused = Thread.interrupted();
  }

  @Override
  public void close() {
    leave();
    over.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM shuts down already
    }
  }
}
