package dev.decant.fix.schedule;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A plain and slow implementation of trading hours: it computes all windows of two years before the first question. */
final class PlainSchedule {
  /** A window: the first instant, the end, and the first instant of its trading session. */
  record Open(Instant from, Instant to, Instant session) {}

  private final List<Open> windows = new ArrayList<>();
  private final List<Instant> resets = new ArrayList<>();
  private final ZoneId zone;
  private final ZoneId closeZone;
  private final LocalDate first;
  private final LocalDate last;

  PlainSchedule(ZoneId zone, ZoneId closeZone, LocalDate first, LocalDate last) {
    this.zone = zone;
    this.closeZone = closeZone;
    this.first = first.minusDays(20);
    this.last = last.plusDays(20);
  }

  private static Instant at(LocalDate date, LocalTime time, ZoneId zone) {
    return ZonedDateTime.of(LocalDateTime.of(date, time), zone).withLaterOffsetAtOverlap().toInstant();
  }

  /** A window of less than a day or up to one. */
  PlainSchedule daily(Set<DayOfWeek> days, LocalTime open, LocalTime close, Collection<LocalDate> holidays) {
    for (LocalDate date = first; date.isBefore(last); date = date.plusDays(1)) {
      if (days.contains(date.getDayOfWeek()) && !holidays.contains(date)) {
        Instant from = at(date, open, zone);
        Instant to = zone.equals(closeZone)
            ? at(close.isAfter(open) ? date : date.plusDays(1), close, zone)
            : firstAfter(from, date, close);
        if (to.isAfter(from)) {
          windows.add(new Open(from, to, from));
        }
      }
    }
    return this;
  }

  private Instant firstAfter(Instant from, LocalDate date, LocalTime close) {
    LocalDate day = date.minusDays(2);
    while (!at(day, close, closeZone).isAfter(from)) {
      day = day.plusDays(1);
    }
    return at(day, close, closeZone);
  }

  /** A window of days: minutes of holidays are cut out of it, one after the other. */
  PlainSchedule weekly(DayOfWeek openDay, LocalTime open, DayOfWeek closeDay, LocalTime close,
      Collection<LocalDate> holidays) {
    for (LocalDate date = first; date.isBefore(last); date = date.plusDays(1)) {
      if (date.getDayOfWeek() == openDay) {
        LocalDate end = date;
        while (end.getDayOfWeek() != closeDay || !end.atTime(close).isAfter(date.atTime(open))) {
          end = end.plusDays(1);
        }
        weekly(at(date, open, zone), at(end, close, zone), holidays);
      }
    }
    return this;
  }

  private void weekly(Instant from, Instant to, Collection<LocalDate> holidays) {
    Instant session = null;
    Instant begin = null;
    for (Instant minute = from; minute.isBefore(to); minute = minute.plusSeconds(60)) {
      if (holidays.contains(minute.atZone(zone).toLocalDate())) {
        if (begin != null && session != null) {
          windows.add(new Open(begin, minute, session));
        }
        begin = null;
      } else if (begin == null) {
        begin = minute;
        session = session == null ? minute : session;
      }
    }
    if (begin != null && session != null) {
      windows.add(new Open(begin, to, session));
    }
  }

  /** Resets at a time of each day, or of one day of the week. */
  PlainSchedule resets(@Nullable DayOfWeek day, LocalTime time) {
    for (LocalDate date = first; date.isBefore(last); date = date.plusDays(1)) {
      if (day == null || date.getDayOfWeek() == day) {
        resets.add(at(date, time, zone));
      }
    }
    return this;
  }

  /** The part of it that lies around an instant. */
  PlainSchedule around(Instant at) {
    PlainSchedule part = new PlainSchedule(zone, closeZone, first, last);
    Duration days = Duration.ofDays(20);
    for (Open window : windows) {
      if (Duration.between(window.from, at).abs().compareTo(days) < 0) {
        part.windows.add(window);
      }
    }
    for (Instant reset : resets) {
      if (Duration.between(reset, at).abs().compareTo(days) < 0) {
        part.resets.add(reset);
      }
    }
    return part;
  }

  /** All instants at which something happens. */
  List<Instant> changes() {
    List<Instant> changes = new ArrayList<>(resets);
    windows.forEach(window -> {
      changes.add(window.from);
      changes.add(window.to);
    });
    changes.sort(null);
    return changes;
  }

  boolean isOpen(Instant at) {
    return windows.stream().anyMatch(window -> !at.isBefore(window.from) && at.isBefore(window.to));
  }

  @Nullable
  Instant nextOpen(Instant after) {
    return windows.stream().map(Open::from).filter(from -> from.isAfter(after)).min(Instant::compareTo).orElse(null);
  }

  @Nullable
  Instant nextClose(Instant after) {
    return windows.stream().map(Open::to).filter(to -> to.isAfter(after)).min(Instant::compareTo).orElse(null);
  }

  @Nullable
  Instant session(Instant at) {
    return resets.isEmpty()
        ? windows.stream().filter(window -> !window.from.isAfter(at)).map(Open::session).max(Instant::compareTo)
            .orElse(null)
        : resets.stream().filter(reset -> !reset.isAfter(at)).max(Instant::compareTo).orElse(null);
  }

  @Nullable
  Instant nextSession(Instant after) {
    return resets.isEmpty()
        ? windows.stream().map(Open::session).filter(from -> from.isAfter(after)).min(Instant::compareTo).orElse(null)
        : resets.stream().filter(reset -> reset.isAfter(after)).min(Instant::compareTo).orElse(null);
  }
}
