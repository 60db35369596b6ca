package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Closes several parts, in each case all of them. Stateless. */
final class QuietClose {
  private static final Logger LOGGER = System.getLogger(QuietClose.class.getName());

  private QuietClose() {}

  /**
   * Closes a part. Its exception is logged.
   *
   * @param what null for nothing
   * @param name for the log
   * @param failure takes the first exception of all parts
   */
  static void close(@Nullable AutoCloseable what, String name, AtomicReference<@Nullable Throwable> failure) {
    if (what == null) {
      return;
    }
    try {
      what.close();
    } catch (Throwable e) { // also an Error: an application's class that lacked another one left names in JMX
      failure.compareAndSet(null, e);
      LOGGER.log(Level.ERROR, "closing the " + name + " failed", e);
    }
  }
}
