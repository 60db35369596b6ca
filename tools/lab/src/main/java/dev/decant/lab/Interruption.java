package dev.decant.lab;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a measurement that somebody has had enough of, by Ctrl-C or SIGTERM, in good order. The JVM calls its shutdown
 * hooks then and ends when they return, so the hook here interrupts the thread that measures, if it may be interrupted,
 * waits until that one has put away what it has, and ends the JVM with the exit code of an interrupted command.
 *
 * <p>The child JVMs of the lab do not get a Ctrl-C of the terminal: they end when whoever started them ends them.
 */
final class Interruption implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Thread measuring = Thread.currentThread();
  private final Runnable onInterrupt;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("interruption").unstarted(this::interrupt);
  private volatile boolean interrupted;
  // Written and read with the monitor held, so that no interrupt comes when it may not.
  private boolean interruptible;

  private Interruption(Runnable onInterrupt) {
    this.onInterrupt = onInterrupt;
  }

  /** From here on until it is closed, on this thread. */
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
      // nobody does that to a hook
    }
    Runtime.getRuntime().halt(Decant.INTERRUPTED);
  }

  boolean isInterrupted() {
    return interrupted;
  }

  /** The thread that measures may be interrupted from here on. */
  synchronized void enter() {
    interruptible = true;
    if (interrupted) {
      measuring.interrupt();
    }
  }

  /** Not any more: what it does now is to be done whole. */
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
      // it is running already
    }
  }
}
