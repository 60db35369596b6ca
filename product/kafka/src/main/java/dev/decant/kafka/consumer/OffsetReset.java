package dev.decant.kafka.consumer;

import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a partition begins without a position, or after its position was out of range; Kafka's {@code
 * auto.offset.reset}.
 */
public final class OffsetReset {
  /** Begins at the oldest record. */
  public static final OffsetReset EARLIEST = new OffsetReset("earliest", -2, null);
  /** Begins after the newest record. */
  public static final OffsetReset LATEST = new OffsetReset("latest", -1, null);
  /** Does not begin: {@code poll} throws. */
  public static final OffsetReset NONE = new OffsetReset("none", 0, null);

  private static final String BY_DURATION = "by_duration:";

  private final String text;
  private final long special;
  private final @Nullable Duration age;

  private OffsetReset(String text, long special, @Nullable Duration age) {
    this.text = text;
    this.special = special;
    this.age = age;
  }

  /**
   * Begins at the first record that is not older than an age (KIP-1106); after the newest, if all are older.
   *
   * @param age counted from the moment at which the position is needed
   * @return the reset
   */
  public static OffsetReset byDuration(Duration age) {
    if (age.isNegative()) {
      throw new IllegalArgumentException("auto.offset.reset: the duration " + age + " is negative");
    }
    return new OffsetReset(BY_DURATION + age, 0, age);
  }

  /**
   * Reads a value of Kafka's properties.
   *
   * @param text {@code earliest}, {@code latest}, {@code none} or {@code by_duration:PT1H}
   * @return the reset
   * @throws IllegalArgumentException if it is none of these
   */
  public static OffsetReset of(String text) {
    String plain = text.strip();
    for (OffsetReset reset : new OffsetReset[] {EARLIEST, LATEST, NONE}) {
      if (reset.text.equals(plain.toLowerCase(Locale.ROOT))) {
        return reset;
      }
    }
    try {
      if (plain.startsWith(BY_DURATION)) {
        return byDuration(Duration.parse(plain.substring(BY_DURATION.length())));
      }
    } catch (java.time.format.DateTimeParseException e) {
      throw new IllegalArgumentException(unreadable(text), e);
    }
    throw new IllegalArgumentException(unreadable(text));
  }

  private static String unreadable(String text) {
    return "auto.offset.reset: \"" + text + "\" is unknown: use earliest, latest, none or by_duration:PT1H";
  }

  /** Returns the timestamp of a ListOffsets request for this reset. */
  long timestamp() {
    return age == null ? special : Math.max(0, System.currentTimeMillis() - Timeouts.millis(age));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OffsetReset that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return Objects.hash(text);
  }

  /** Returns the value as Kafka's properties write it. */
  @Override
  public String toString() {
    return text;
  }
}
