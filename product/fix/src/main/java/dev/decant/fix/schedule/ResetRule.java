package dev.decant.fix.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/**
 * When sequence numbers are reset to 1.
 *
 * @param kind at the opening of each window, at a time of day or week, or never
 * @param day the weekday of a weekly reset; null for each day
 * @param time the time of day; midnight if it has no meaning
 */
record ResetRule(Kind kind, @Nullable DayOfWeek day, LocalTime time) {

  private static final int DAYS_PER_WEEK = 7;
  /** Seven days back, one for the time zone, and one for a time that summer time moves. */
  private static final int DAYS_AROUND = DAYS_PER_WEEK + 2;

  enum Kind {
    AT_OPEN, AT_TIME, NEVER
  }

  static final ResetRule AT_OPEN = new ResetRule(Kind.AT_OPEN, null, LocalTime.MIDNIGHT);
  static final ResetRule NEVER = new ResetRule(Kind.NEVER, null, LocalTime.MIDNIGHT);

  /** Returns the last reset time that is not after an instant. */
  long lastAt(long epochNanos, LocalClock clock) {
    LocalDate date = clock.date(epochNanos).plusDays(1);
    for (int i = 0; i <= DAYS_AROUND; i++) {
      if ((day == null || date.getDayOfWeek() == day) && clock.instant(date, time) <= epochNanos) {
        return clock.instant(date, time);
      }
      date = date.minusDays(1);
    }
    throw new IllegalStateException("no reset of " + this + " before " + epochNanos);
  }

  /** Returns the first reset time after an instant. */
  long nextAfter(long epochNanos, LocalClock clock) {
    LocalDate date = clock.date(epochNanos).minusDays(1);
    for (int i = 0; i <= DAYS_AROUND; i++) {
      if ((day == null || date.getDayOfWeek() == day) && clock.instant(date, time) > epochNanos) {
        return clock.instant(date, time);
      }
      date = date.plusDays(1);
    }
    throw new IllegalStateException("no reset of " + this + " after " + epochNanos);
  }
}
