package dev.decant.kafka.telemetry;

import dev.decant.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What does not work at the moment, and since when. Each part of a client that has a problem is its key, and ends it
 * when it works again. Any thread; a part that is well pays a look at an empty map.
 */
public final class Problems {
  private record Problem(String what, long sinceNanos, @Nullable Throwable cause) {}

  private final Clock clock;
  /** By whom they concern, compared by identity: no key overrides equals. */
  private final ConcurrentHashMap<Object, Problem> open = new ConcurrentHashMap<>();

  Problems(Clock clock) {
    this.clock = clock;
  }

  /**
   * A problem begins, or goes on.
   *
   * @param whose of its owner's choice; one problem each
   * @param what in words, to be followed by "for 3 s"
   * @param cause why; null if that is not known, or as before
   */
  public void begin(Object whose, String what, @Nullable Throwable cause) {
    open.compute(whose, (owner, known) -> known == null
        ? new Problem(what, clock.nanoTime(), cause)
        : new Problem(what, known.sinceNanos, cause == null ? known.cause : cause));
  }

  /**
   * It works again, or is not wanted any more.
   *
   * @param whose as it was begun; without a problem nothing happens
   */
  public void end(Object whose) {
    if (!open.isEmpty()) {
      open.remove(whose);
    }
  }

  /**
   * Whether there is none.
   *
   * @return true if all is well
   */
  public boolean isEmpty() {
    return open.isEmpty();
  }

  /**
   * All problems.
   *
   * @return a sentence for each, the oldest first
   */
  public List<String> describe() {
    long now = clock.nanoTime();
    return open.values().stream().sorted(Comparator.comparingLong((Problem p) -> p.sinceNanos - now))
        .map(p -> sentence(p, now)).toList();
  }

  private static String sentence(Problem problem, long now) {
    Throwable cause = problem.cause;
    return problem.what + " for " + TimeUnit.NANOSECONDS.toSeconds(now - problem.sinceNanos) + " s"
        + (cause == null ? "" : "; last error: " + LastError.message(cause));
  }
}
