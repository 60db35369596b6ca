package dev.decant.fix.schedule;

import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The windows of a schedule on the time line, by the present rules of time zones. */
final class Windows {
  /**
   * A window that is open at an instant has opened on one of this many dates before. They cover its length of a day and
   * the difference of time zones.
   */
  private static final int DAYS_AROUND = 3;
  private static final int DAYS_AROUND_WEEKLY = 9;
  /** Beyond this many days of holidays in a row, the schedule counts as closed for good. */
  private static final int DAYS_SEARCHED = 800;

  private final List<Window> windows;
  private final Set<LocalDate> holidays;
  private final LocalClock openClock;
  private final LocalClock closeClock;
  /** True if windows that touch form one, because no reset happens between them. */
  private final boolean joins;
  private final int daysAround;

  Windows(List<Window> windows, Set<LocalDate> holidays, ZoneId openZone, ZoneId closeZone, boolean joins) {
    this.windows = windows;
    this.holidays = holidays;
    this.openClock = new LocalClock(openZone);
    this.closeClock = new LocalClock(closeZone);
    this.joins = joins;
    this.daysAround = windows.stream().anyMatch(window -> window.closeDay() != null) ? DAYS_AROUND_WEEKLY : DAYS_AROUND;
  }

  /**
   * Returns the span that an instant is in, or the next one; null if there is none. A span without an end closes never.
   */
  @Nullable
  OpenSpan wholeAtOrAfter(long epochNanos) {
    OpenSpan span = atOrAfter(epochNanos);
    for (int days = 0; span != null && joins; days += daysAround) {
      OpenSpan longer = days > DAYS_SEARCHED ? null : atOrAfter(span.close() - 1);
      if (longer == null || longer.close() <= span.close()) {
        return longer == null ? span.until(Long.MAX_VALUE) : span;
      }
      span = span.until(longer.close());
    }
    return span;
  }

  /** Returns a span as {@link #wholeAtOrAfter} does. The end of a span of several days may be missing. */
  @Nullable
  OpenSpan atOrAfter(long epochNanos) {
    LocalDate date = openClock.date(epochNanos);
    for (int days = 0; days <= DAYS_SEARCHED; days += daysAround) {
      for (OpenSpan span : spans(date.plusDays(days - daysAround), date.plusDays(days + 2 * daysAround))) {
        if (span.close() > epochNanos) {
          return span;
        }
      }
    }
    return null;
  }

  /** Returns the last span that has opened by an instant; null if there is none. */
  @Nullable
  OpenSpan lastOpened(long epochNanos) {
    LocalDate date = openClock.date(epochNanos);
    for (int days = 0; days <= DAYS_SEARCHED; days += daysAround) {
      OpenSpan last = null;
      for (OpenSpan span : spans(date.minusDays(days + 2 * daysAround), date.minusDays(days).plusDays(daysAround))) {
        if (span.open() <= epochNanos) {
          last = span;
        }
      }
      if (last != null) {
        return last;
      }
    }
    return null;
  }

  /** Returns the last span that has closed by an instant, if no other span of its trading session follows. */
  @Nullable
  OpenSpan lastEnded(long epochNanos) {
    LocalDate date = openClock.date(epochNanos);
    for (int days = 0; days <= DAYS_SEARCHED; days += daysAround) {
      OpenSpan last = null;
      OpenSpan before = null;
      for (OpenSpan span : spans(date.minusDays(days + 2 * daysAround), date.minusDays(days).plusDays(daysAround))) {
        if (before != null && before.close() <= epochNanos && before.sessionStart() != span.sessionStart()) {
          last = before;
        }
        before = span;
      }
      last = before != null && before.close() <= epochNanos ? before : last;
      if (last != null) {
        return last;
      }
    }
    return null;
  }

  /**
   * Returns the spans of the windows that open on these dates, in their order. Spans of the first and last days may be
   * cut.
   */
  private List<OpenSpan> spans(LocalDate from, LocalDate to) {
    List<OpenSpan> opened = new ArrayList<>();
    for (LocalDate date = from; !date.isAfter(to); date = date.plusDays(1)) {
      for (Window window : windows) {
        if (window.opensOn(date)) {
          add(window, date, opened);
        }
      }
    }
    opened.sort(Comparator.comparingLong(OpenSpan::open).thenComparingLong(OpenSpan::close));
    return inOrder(opened);
  }

  private void add(Window window, LocalDate date, List<OpenSpan> to) {
    long open = openClock.instant(date, window.open());
    long close = window.closeAfter(date, openClock, closeClock);
    if (open >= close) {
      return;
    }
    if (window.closeDay() == null) {
      if (!holidays.contains(date)) {
        to.add(new OpenSpan(open, open, close));
      }
      return;
    }
    addWithoutHolidays(open, close, to);
  }

  /**
   * Adds a window of several days without its holidays, on which it is closed from midnight to midnight. Its trading
   * session continues after them.
   */
  private void addWithoutHolidays(long open, long close, List<OpenSpan> to) {
    long begin = open;
    long sessionStart = Long.MIN_VALUE;
    for (LocalDate date = openClock.date(open); begin < close; date = date.plusDays(1)) {
      long midnight = openClock.instant(date, LocalTime.MIDNIGHT);
      long nextMidnight = openClock.instant(date.plusDays(1), LocalTime.MIDNIGHT);
      boolean isHoliday = holidays.contains(date);
      long end = isHoliday ? Math.max(begin, midnight) : nextMidnight >= close ? close : begin;
      if (end > begin) {
        sessionStart = sessionStart == Long.MIN_VALUE ? begin : sessionStart;
        to.add(new OpenSpan(sessionStart, begin, end));
        begin = end;
      }
      if (isHoliday) {
        begin = Math.max(begin, nextMidnight);
      }
    }
  }

  /** Ends an earlier window where a later one opens, and joins windows that touch if no reset lies between them. */
  private List<OpenSpan> inOrder(List<OpenSpan> opened) {
    List<OpenSpan> spans = new ArrayList<>();
    for (OpenSpan span : opened) {
      OpenSpan last = spans.isEmpty() ? null : spans.getLast();
      if (last == null || last.close() < span.open()) {
        spans.add(span);
      } else if (joins) {
        spans.set(spans.size() - 1, last.until(Math.max(last.close(), span.close())));
      } else {
        spans.set(spans.size() - 1, last.until(span.open()));
        spans.add(span);
      }
    }
    spans.removeIf(span -> span.open() >= span.close());
    return spans;
  }
}
