package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Closes one thing after the other, whatever they throw. Stateless. */
final class Closing {
  private static final Logger LOGGER = System.getLogger(Closing.class.getName());

  private Closing() {}

  /**
   * Closes something.
   *
   * @param what null for nothing
   * @param name for the log
   * @param failure takes the first exception of all
   */
  static void quietly(@Nullable AutoCloseable what, String name, AtomicReference<@Nullable Throwable> failure) {
    if (what == null) {
      return;
    }
    try {
      what.close();
    } catch (Throwable e) { // an application's class may lack another one, and the next part is to be closed
      failure.compareAndSet(null, e);
      LOGGER.log(Level.ERROR, "closing the " + name + " failed", e);
    }
  }
}
