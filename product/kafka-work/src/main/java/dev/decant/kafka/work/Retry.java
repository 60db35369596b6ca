package dev.decant.kafka.work;

import dev.decant.kafka.consumer.BadRecordException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How often a failed record is tried again, and when. Immutable.
 *
 * <p>A record that cannot be decoded is never tried again: its bytes stay what they are.
 */
public final class Retry {
  private static final Retry NONE = new Retry(0, Duration.ZERO, Duration.ZERO, error -> true, null);

  private final int times;
  private final Duration first;
  private final Duration most;
  private final Predicate<Throwable> retriable;
  private final @Nullable RetryTopics topics;

  private Retry(int times, Duration first, Duration most, Predicate<Throwable> retriable,
      @Nullable RetryTopics topics) {
    this.times = times;
    this.first = first;
    this.most = most;
    this.retriable = retriable;
    this.topics = topics;
  }

  /**
   * One attempt, and no more.
   *
   * @return the policy
   */
  public static Retry none() {
    return NONE;
  }

  /**
   * Tries again after a pause, which is the same each time. Records that wait for this one in the {@link Order} go on
   * waiting, and others go on.
   *
   * @param times attempts behind the first
   * @param pause before each of them
   * @return the policy
   * @throws IllegalArgumentException if a number is negative
   */
  public static Retry inPlace(int times, Duration pause) {
    return inPlace(times, Objects.requireNonNull(pause, "pause"), pause);
  }

  /**
   * Tries again after a pause that doubles.
   *
   * @param times attempts behind the first
   * @param first pause before the first of them
   * @param most the longest pause
   * @return the policy
   * @throws IllegalArgumentException if a number is negative, or the longest pause is shorter than the first
   */
  public static Retry inPlace(int times, Duration first, Duration most) {
    if (times < 0) {
      throw new IllegalArgumentException("retries: " + times + " is negative; give 0 for none");
    }
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(most, "most");
    if (first.isNegative() || most.compareTo(first) < 0) {
      throw new IllegalArgumentException("retries: pauses from " + first + " to " + most
          + "; give a pause of 0 or more, and a longest one that is not shorter");
    }
    return new Retry(times, first, most, error -> true, null);
  }

  /**
   * Limits this policy to some failures; any other failure is the last of its record.
   *
   * @param which says whether another attempt may help; called on the thread that polls; one that throws says no
   * @return the policy
   */
  public Retry onlyIf(Predicate<Throwable> which) {
    return new Retry(times, first, most, Objects.requireNonNull(which, "which"), topics);
  }

  /**
   * Goes on in retry topics after the last attempt in place: a record has one more attempt in each of them, and waits
   * there without a thread or the partition. A record that cannot be decoded, or that {@link #onlyIf} excludes, goes to
   * none of them.
   *
   * @param stages the topics and their delays
   * @return the policy
   */
  public Retry then(RetryTopics stages) {
    return new Retry(times, first, most, retriable, Objects.requireNonNull(stages, "stages"));
  }

  /** The retry topics; null if there are none. */
  @Nullable
  RetryTopics topics() {
    return topics;
  }

  /** Returns true if a record has another attempt in place after this number of attempts. */
  boolean isInPlace(int attempts) {
    return attempts <= times;
  }

  /** The most attempts of a record, with those in retry topics. */
  int mostAttempts() {
    return times + 1 + (topics == null ? 0 : topics.stages());
  }

  /** Returns true if another attempt may help after an error. */
  boolean isRetriable(Throwable error) {
    if ((times == 0 && topics == null) || error instanceof BadRecordException) {
      return false;
    }
    try {
      return retriable.test(error);
    } catch (Throwable e) { // a predicate may throw an Error, too
      if (!e.equals(error)) { // the predicate may throw the error that it was given
        error.addSuppressed(e);
      }
      return false; // a faulty predicate must not keep a record under way for ever
    }
  }

  /** The pause after this number of attempts. */
  long pauseNanos(int attempts) {
    long nanos = nanos(first);
    long longest = nanos(most);
    for (int i = 1; i < attempts && nanos < longest; i++) {
      nanos = nanos > longest / 2 ? longest : nanos * 2;
    }
    return nanos;
  }

  private static long nanos(Duration time) {
    return time.compareTo(Duration.ofDays(365)) > 0 ? TimeUnit.DAYS.toNanos(365) : time.toNanos();
  }

  @Override
  public String toString() {
    String inPlace = times == 0
        ? "none"
        : times + " in place after " + first + (most.equals(first) ? "" : " to " + most);
    return topics == null ? inPlace : inPlace + ", then " + topics;
  }
}
