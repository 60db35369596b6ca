package dev.decant.fix.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One window of a schedule. It opens on each of its weekdays, and closes at the next closing time on the clock.
 *
 * @param days the weekdays of its opening
 * @param open when it opens
 * @param closeDay the weekday of its closing; null if it closes within 24 hours
 * @param close when it closes
 */
record Window(Set<DayOfWeek> days, LocalTime open, @Nullable DayOfWeek closeDay, LocalTime close) {

  /** A window closes at most a week after its opening. This many dates contain its closing time in any zone. */
  private static final int LONGEST_DAYS = 9;

  boolean opensOn(LocalDate date) {
    return days.contains(date.getDayOfWeek());
  }

  /**
   * Returns when the window that opens on a date closes, in nanoseconds since the epoch. If that is not later than the
   * opening, the window lies within an hour that is skipped, and does not open.
   */
  long closeAfter(LocalDate date, LocalClock openClock, LocalClock closeClock) {
    long opening = openClock.nominal(date, open);
    LocalDate day = closeClock.date(opening).minusDays(1);
    for (int i = 0; i <= LONGEST_DAYS; i++) {
      if ((closeDay == null || day.getDayOfWeek() == closeDay) && closeClock.nominal(day, close) > opening) {
        return closeClock.instant(day, close);
      }
      day = day.plusDays(1);
    }
    throw new IllegalStateException("the window " + this + " that opens on " + date + " does not close");
  }

  @Override
  public String toString() {
    return closeDay == null
        ? open + " to " + close + (days.size() == DayOfWeek.values().length ? " daily" : " on " + days)
        : days.iterator().next() + " " + open + " to " + closeDay + " " + close;
  }
}
