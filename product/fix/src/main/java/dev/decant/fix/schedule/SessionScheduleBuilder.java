package dev.decant.fix.schedule;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Sets the windows of a session, and when its sequence numbers are reset to 1. Not thread-safe. */
public final class SessionScheduleBuilder {
  private static final Duration LONGEST_AHEAD = Duration.ofHours(12);

  /** A window as it was added. If its weekdays are null, it opens on those of all windows. */
  private record Added(@Nullable Set<DayOfWeek> days, LocalTime open, @Nullable DayOfWeek closeDay, LocalTime close) {}

  final ZoneId openZone;
  ZoneId closeZone;
  final Set<LocalDate> holidays = new TreeSet<>();
  boolean announceReset;
  boolean resetWithoutLogout;
  Duration logoutBeforeClose = Duration.ofSeconds(1);
  private final List<Added> added = new ArrayList<>();
  private Set<DayOfWeek> weekdays = EnumSet.allOf(DayOfWeek.class);
  private boolean isNonStop;
  private @Nullable ResetRule reset;

  SessionScheduleBuilder(ZoneId zone) {
    openZone = zone;
    closeZone = zone;
  }

  /**
   * Sets another time zone for closing times, as EndTime of QuickFIX/J can have. Opening times, resets, weekdays and
   * holidays stay in the first zone; the weekday of a closing is in this one.
   *
   * @param zone the zone
   * @return this
   */
  public SessionScheduleBuilder closeZone(ZoneId zone) {
    closeZone = zone;
    return this;
  }

  /**
   * Adds a window on each of the {@link #weekdays}. A day may have several.
   *
   * @param open when it opens
   * @param close when it closes: on the next day if this is not later than the opening; 00:00 is the end of the day
   * @return this
   */
  public SessionScheduleBuilder window(LocalTime open, LocalTime close) {
    added.add(new Added(null, open, null, close));
    return this;
  }

  /**
   * Adds a window on the given weekdays, independent of {@link #weekdays}.
   *
   * @param days the weekdays on which it opens
   * @param open when it opens
   * @param close when it closes: on the next day if this is not later than the opening; 00:00 is the end of the day
   * @return this
   * @throws IllegalArgumentException if there are no days
   */
  public SessionScheduleBuilder window(Set<DayOfWeek> days, LocalTime open, LocalTime close) {
    added.add(new Added(require(days), open, null, close));
    return this;
  }

  /**
   * Adds a window that is open for several days, each week. Holidays interrupt it from midnight to midnight, and do not
   * end the trading session. If both days are the same, it lasts less than a day if it closes later than it opens,
   * otherwise a week.
   *
   * @param openDay the weekday on which it opens
   * @param open when it opens
   * @param closeDay the weekday on which it closes
   * @param close when it closes
   * @return this
   */
  public SessionScheduleBuilder weekly(DayOfWeek openDay, LocalTime open, DayOfWeek closeDay, LocalTime close) {
    added.add(new Added(EnumSet.of(openDay), open, closeDay, close));
    return this;
  }

  /**
   * Sets the weekdays on which windows open. Default: all seven. A window that lasts over midnight belongs to the day
   * of its opening.
   *
   * @param days the weekdays
   * @return this
   * @throws IllegalArgumentException if there are none
   */
  public SessionScheduleBuilder weekdays(Set<DayOfWeek> days) {
    weekdays = require(days);
    return this;
  }

  /**
   * Sets the weekdays on which windows open, from the first to the last.
   *
   * @param first the first weekday
   * @param last the last one; if it is before the first one, it is that of the next week
   * @return this
   */
  public SessionScheduleBuilder weekdays(DayOfWeek first, DayOfWeek last) {
    Objects.requireNonNull(last, "last"); // A null would make the loop endless.
    Set<DayOfWeek> days = EnumSet.of(first);
    for (DayOfWeek day = first; day != last; day = day.plus(1)) {
      days.add(day.plus(1));
    }
    weekdays = days;
    return this;
  }

  /**
   * Keeps the session always open, without windows.
   *
   * @return this
   */
  public SessionScheduleBuilder nonStop() {
    isNonStop = true;
    return this;
  }

  /**
   * Adds dates on which no window of a day opens. A window that opened on the day before closes at its time.
   *
   * @param dates in the zone of the openings
   * @return this
   */
  public SessionScheduleBuilder holidays(LocalDate... dates) {
    return holidays(List.of(dates));
  }

  /**
   * Adds dates on which no window of a day opens. A window that opened on the day before closes at its time.
   *
   * @param dates in the zone of the openings
   * @return this
   */
  public SessionScheduleBuilder holidays(Collection<LocalDate> dates) {
    holidays.addAll(dates);
    return this;
  }

  /**
   * Resets sequence numbers to 1 whenever a window opens. The default, except for a non-stop session.
   *
   * @return this
   */
  public SessionScheduleBuilder resetAtOpen() {
    reset = ResetRule.AT_OPEN;
    return this;
  }

  /**
   * Resets sequence numbers to 1 each day at a time, whether the session is connected or not. Windows that touch then
   * form one: the session is not logged out between them.
   *
   * @param time in the zone of the openings
   * @return this
   */
  public SessionScheduleBuilder resetDaily(LocalTime time) {
    reset = new ResetRule(ResetRule.Kind.AT_TIME, null, time);
    return this;
  }

  /**
   * Resets sequence numbers to 1 each week at a time, whether the session is connected or not. Windows that touch then
   * form one: the session is not logged out between them.
   *
   * @param day the weekday
   * @param time in the zone of the openings
   * @return this
   */
  public SessionScheduleBuilder resetWeekly(DayOfWeek day, LocalTime time) {
    reset = new ResetRule(ResetRule.Kind.AT_TIME, day, time);
    return this;
  }

  /**
   * Keeps sequence numbers from window to window. Windows that touch then form one.
   *
   * @return this
   */
  public SessionScheduleBuilder resetNever() {
    reset = ResetRule.NEVER;
    return this;
  }

  /**
   * Sets {@link SessionSchedule#announcesReset()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionScheduleBuilder announceReset(boolean value) {
    announceReset = value;
    return this;
  }

  /**
   * Sets {@link SessionSchedule#resetsWithoutLogout()}. Only one of the two ends should set it, since both would ask
   * each other.
   *
   * @param value the setting; {@link #build} requires {@link #resetDaily} or {@link #resetWeekly} with it
   * @return this
   */
  public SessionScheduleBuilder resetWithoutLogout(boolean value) {
    resetWithoutLogout = value;
    return this;
  }

  /**
   * Sets {@link SessionSchedule#logoutBeforeClose()}.
   *
   * @param value zero, or up to twelve hours, and shorter than each window
   * @return this
   * @throws IllegalArgumentException if it is negative or longer
   */
  public SessionScheduleBuilder logoutBeforeClose(Duration value) {
    if (value.isNegative() || value.compareTo(LONGEST_AHEAD) > 0) {
      throw new IllegalArgumentException("logoutBeforeClose: " + value + " is not between 0 and 12 hours");
    }
    logoutBeforeClose = value;
    return this;
  }

  /**
   * Creates the schedule.
   *
   * @return the schedule with these settings
   * @throws IllegalArgumentException if there is neither a window nor {@link #nonStop}, or both; if windows overlap, or
   *     are not longer than {@link #logoutBeforeClose}; if {@link #resetWithoutLogout} has no time
   */
  public SessionSchedule build() {
    if (isNonStop == !added.isEmpty()) {
      throw new IllegalArgumentException(isNonStop
          ? "a non-stop session has no windows"
          : "a schedule needs window(...), weekly(...) or nonStop()");
    }
    if (isNonStop && reset().kind() == ResetRule.Kind.AT_OPEN) {
      throw new IllegalArgumentException("resetAtOpen: a non-stop session does not open");
    }
    if (resetWithoutLogout && reset().kind() != ResetRule.Kind.AT_TIME) {
      throw new IllegalArgumentException("resetWithoutLogout: set its time by resetDaily or resetWeekly");
    }
    requireOrder();
    return new SessionSchedule(this);
  }

  List<Window> windows() {
    return added.stream().map(window -> new Window(
        Set.copyOf(window.days == null ? weekdays : window.days), window.open, window.closeDay, window.close)).toList();
  }

  ResetRule reset() {
    ResetRule chosen = reset;
    return chosen != null ? chosen : isNonStop ? ResetRule.NEVER : ResetRule.AT_OPEN;
  }

  /** Checks a week in winter and one in summer, since the difference of two time zones depends on the season. */
  private void requireOrder() {
    requireOrder(LocalDate.of(2025, 1, 13));
    requireOrder(LocalDate.of(2025, 7, 14));
  }

  private void requireOrder(LocalDate monday) {
    LocalClock openClock = new LocalClock(openZone);
    LocalClock closeClock = new LocalClock(closeZone);
    List<OpenSpan> spans = new ArrayList<>();
    for (int day = 0; day < 3 * DayOfWeek.values().length; day++) {
      LocalDate date = monday.plusDays(day);
      for (Window window : windows()) {
        if (window.opensOn(date)) {
          long open = openClock.instant(date, window.open());
          long close = window.closeAfter(date, openClock, closeClock);
          if (close - open <= logoutBeforeClose.toNanos()) {
            throw new IllegalArgumentException("logoutBeforeClose: " + logoutBeforeClose + " is not shorter than "
                + window);
          }
          spans.add(new OpenSpan(open, open, close));
        }
      }
    }
    spans.sort((a, b) -> Long.compare(a.open(), b.open()));
    for (int i = 1; i < spans.size(); i++) {
      if (spans.get(i).open() < spans.get(i - 1).close()) {
        throw new IllegalArgumentException("windows overlap: " + windows());
      }
    }
  }

  private static Set<DayOfWeek> require(Set<DayOfWeek> days) {
    if (days.isEmpty()) {
      throw new IllegalArgumentException("weekdays: there are none");
    }
    return EnumSet.copyOf(days);
  }
}
