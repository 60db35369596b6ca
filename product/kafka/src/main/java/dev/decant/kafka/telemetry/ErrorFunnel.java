package dev.decant.kafka.telemetry;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.time.Clock;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Where every error of a client goes, whatever becomes of it: it is counted, remembered for a while, and told. What
 * the application has done wrong and nobody else would see is logged too, once a second at most. Any thread.
 */
public final class ErrorFunnel {
  private static final System.Logger LOG = System.getLogger("dev.decant.kafka");
  private static final int REMEMBERED = 16;
  private static final long LOG_INTERVAL_NANOS = 1_000_000_000L;
  private static final long SLOW_NANOS = 100_000_000L;

  final Listeners<ErrorListener> listeners = new Listeners<>(ErrorListener.class);
  private final Event<ErrorListener> error = listeners.event("onError");
  private final Clock clock;
  private final Counters counters;
  // Under the monitor of `last`.
  private final ArrayDeque<ErrorReport> last = new ArrayDeque<>();
  private boolean logged;
  private long loggedNanos;

  ErrorFunnel(Clock clock, Counters counters) {
    this.clock = clock;
    this.counters = counters;
  }

  /**
   * Takes an error. Whatever goes wrong meanwhile is kept from the caller, who has more to do.
   *
   * @param kind what
   * @param where broker, or topic and partition
   * @param cause why
   */
  public void report(ErrorKind kind, String where, Throwable cause) {
    if (cause instanceof ClosedInGoodOrderException && isRepaired(kind)) {
      return;
    }
    counters.add(Statistic.ERRORS, 1);
    try {
      takeIn(kind, where, cause);
    } catch (Throwable e) { // its message, the logger, or there is no stack or heap left
      counters.add(Statistic.ERRORS, 1);
    }
  }

  /** What the client tries again, it does not when it is being closed; what is lost then is an error all the same. */
  private static boolean isRepaired(ErrorKind kind) {
    return switch (kind) {
      case METADATA_FAILED, IDENTITY_FAILED, TRANSACTION_RETRIED, FETCH_RETRIED, GROUP_RETRIED -> true;
      default -> false;
    };
  }

  private void takeIn(ErrorKind kind, String where, Throwable cause) {
    remember(new ErrorReport(clock.epochMillis(), kind, where, LastError.message(cause)));
    if (kind == ErrorKind.LISTENER_FAILED && mayLog()) {
      LOG.log(System.Logger.Level.ERROR, "a listener or handler threw (" + where + "); what it was told of goes on",
          cause);
    }
    ErrorListener[] told = error.listeners();
    if (told != null) {
      tell(told, kind, where, cause);
    }
  }

  private static void tell(ErrorListener[] told, ErrorKind kind, String where, Throwable cause) {
    for (ErrorListener listener : told) {
      try {
        listener.onError(kind, where, cause);
      } catch (Throwable e) { // not reported again: it would come back here
        LOG.log(System.Logger.Level.ERROR, "an error listener threw", e);
      }
    }
  }

  /** A listener threw; what it was told of goes on, and the other listeners are told all the same. */
  void listenerFailed(String event, Throwable cause) {
    report(ErrorKind.LISTENER_FAILED, event, cause);
  }

  /**
   * Listeners were told; if they took long, nobody else was served meanwhile, and it is reported.
   *
   * @param nanos how long
   * @param topic of the records they were told of
   */
  public void listenersTook(long nanos, String topic) {
    if (nanos > SLOW_NANOS) {
      long millis = nanos / 1_000_000;
      report(ErrorKind.LISTENER_SLOW, topic, new KafkaException(ErrorCode.NONE,
          "listeners took " + millis + " ms for a batch; connections of the client stood still meanwhile"));
    }
  }

  private void remember(ErrorReport report) {
    synchronized (last) {
      if (last.size() == REMEMBERED) {
        last.removeFirst();
      }
      last.addLast(report);
    }
  }

  private boolean mayLog() {
    long now = clock.nanoTime();
    synchronized (last) {
      if (logged && now - loggedNanos < LOG_INTERVAL_NANOS) {
        return false;
      }
      logged = true;
      loggedNanos = now;
      return true;
    }
  }

  /**
   * The last errors.
   *
   * @return oldest first, 16 at most
   */
  public List<ErrorReport> last() {
    synchronized (last) {
      return List.copyOf(last);
    }
  }
}
