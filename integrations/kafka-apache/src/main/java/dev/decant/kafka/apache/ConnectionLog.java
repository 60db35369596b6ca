package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.security.AuthenticationException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Logs why connections fail, as Apache's clients do. Without these lines, a program with a wrong address or {@code
 * security.protocol} saw only timeouts, and {@code poll} returned no records for ever. A broker has at most one line in
 * ten seconds, because attempts may fail many times a second. A refusal has no line: the application gets it as an
 * exception. Owner of the client's loop only.
 */
final class ConnectionLog implements ConnectionListener {
  private static final Logger LOGGER = System.getLogger(ConnectionLog.class.getName());
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String client;
  private final LongSupplier nanoTime;
  /** When the last line of each broker was logged. Entries older than the pause are removed. */
  private final Map<String, Long> logged = new HashMap<>();

  /**
   * Makes a log.
   *
   * @param client begins each line, such as {@code producer orders-1}
   * @param nanoTime monotonic time
   */
  ConnectionLog(String client, LongSupplier nanoTime) {
    this.client = client;
    this.nanoTime = nanoTime;
  }

  @Override
  public void onEnded(String broker, int unanswered, KafkaException cause) {
    if (cause instanceof AuthenticationException) {
      return;
    }
    long now = nanoTime.getAsLong();
    Long last = logged.get(broker);
    if (last == null || now - last >= PAUSE_NANOS) {
      logged.values().removeIf(then -> now - then >= PAUSE_NANOS);
      logged.put(broker, now);
      LOGGER.log(Level.WARNING, "{0}: {1}", client, cause.getMessage());
    }
  }
}
