package dev.decant.kafka.security;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * Decides when credentials that expire are replaced, by the rules of Kafka's {@code sasl.login.refresh.*} (KIP-255).
 * The first connection after that time starts the refresh, and itself still uses the present credentials. Immutable.
 *
 * <pre>
 *   begin of life                                                     end of life
 *   |---- at least minPeriod ----|      |-- windowJitter --|   |---- buffer ----|
 *   |------------ windowFactor of the life -------|  refresh within these bounds
 * </pre>
 *
 * <p>If less time is left than {@code minPeriod} and {@code buffer} together, both are ignored. The refresh is then due
 * after that part of the time that is left.
 */
public final class LoginRefresh {
  /** Kafka's defaults: 0.8, 0.05, one minute, five minutes. */
  public static final LoginRefresh DEFAULT = builder().build();

  private final double windowFactor;
  private final double windowJitter;
  private final Duration minPeriod;
  private final Duration buffer;

  private LoginRefresh(Builder builder) {
    windowFactor = builder.windowFactor;
    windowJitter = builder.windowJitter;
    minPeriod = builder.minPeriod;
    buffer = builder.buffer;
  }

  /**
   * Makes a builder with Kafka's defaults.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the time to replace credentials.
   *
   * @param now when they were issued
   * @param begins the beginning of their life
   * @param ends the end of their life
   * @param chance a random number from 0 to 1, for the jitter
   */
  Instant at(Instant now, Instant begins, Instant ends, double chance) {
    double part = windowFactor + windowJitter * chance;
    if (now.plus(minPeriod).plus(buffer).isAfter(ends)) {
      return now.plus(part(now, ends, part));
    }
    Instant wanted = begins.plus(part(begins, ends, part));
    Instant latest = ends.minus(buffer);
    if (wanted.isAfter(latest)) {
      return latest;
    }
    Instant earliest = now.plus(minPeriod);
    return wanted.isBefore(earliest) ? earliest : wanted;
  }

  private static Duration part(Instant from, Instant to, double part) {
    return Duration.ofMillis((long) (Duration.between(from, to).toMillis() * part));
  }

  @Override
  public String toString() {
    return "refresh after " + windowFactor + " to " + (windowFactor + windowJitter) + " of the life, " + minPeriod
        + " after the last one at the earliest, " + buffer + " before the end at the latest";
  }

  /** Makes a rule. One thread. */
  public static final class Builder {
    private static final Duration MOST_PERIOD = Duration.ofMinutes(15);
    private static final Duration MOST_BUFFER = Duration.ofHours(1);

    private double windowFactor = 0.8;
    private double windowJitter = 0.05;
    private Duration minPeriod = Duration.ofMinutes(1);
    private Duration buffer = Duration.ofMinutes(5);

    private Builder() {}

    /**
     * Sets the part of their life after which credentials are replaced; Kafka's {@code
     * sasl.login.refresh.window.factor}.
     *
     * @param factor from 0.5 to 1; 0.8 by default
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder windowFactor(double factor) {
      if (!(factor >= 0.5 && factor <= 1)) {
        throw new IllegalArgumentException("factor: " + factor + " is not from 0.5 to 1");
      }
      windowFactor = factor;
      return this;
    }

    /**
     * Sets the random part that is added to this factor, so that clients do not all ask at once; Kafka's {@code
     * sasl.login.refresh.window.jitter}.
     *
     * @param jitter a part of the life, from 0 to 0.25; 0.05 by default
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder windowJitter(double jitter) {
      if (!(jitter >= 0 && jitter <= 0.25)) {
        throw new IllegalArgumentException("jitter: " + jitter + " is not from 0 to 0.25");
      }
      windowJitter = jitter;
      return this;
    }

    /**
     * Sets the least time for which credentials are kept; Kafka's {@code sasl.login.refresh.min.period.seconds}.
     *
     * @param period from zero to 15 minutes; one minute by default
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder minPeriod(Duration period) {
      minPeriod = bounded("period", period, MOST_PERIOD);
      return this;
    }

    /**
     * Sets the least time before their end at which credentials are replaced; Kafka's {@code
     * sasl.login.refresh.buffer.seconds}.
     *
     * @param time from zero to an hour; five minutes by default
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder buffer(Duration time) {
      buffer = bounded("time", time, MOST_BUFFER);
      return this;
    }

    private static Duration bounded(String name, Duration value, Duration most) {
      Objects.requireNonNull(value, name);
      if (value.isNegative() || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(name + ": " + value + " is not from zero to " + most);
      }
      return value;
    }

    /**
     * Makes the rule.
     *
     * @return the rule
     */
    public LoginRefresh build() {
      return new LoginRefresh(this);
    }
  }
}
