package dev.decant.fix.schedule;

import static java.time.DayOfWeek.FRIDAY;
import static java.time.DayOfWeek.MONDAY;
import static java.time.DayOfWeek.SATURDAY;
import static java.time.DayOfWeek.SUNDAY;
import static java.time.DayOfWeek.THURSDAY;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules through 2027 and 2028: four changes of summer time, and the 29th of February. */
class TwoYearsTest {
  private static final LocalDate FIRST = LocalDate.of(2027, 1, 1);
  private static final LocalDate LAST = LocalDate.of(2028, 12, 31);
  private static final Set<DayOfWeek> ALL = EnumSet.allOf(DayOfWeek.class);
  private static final Set<DayOfWeek> WEEKDAYS = EnumSet.range(MONDAY, FRIDAY);
  private static final Set<DayOfWeek> EVENINGS = EnumSet.of(SUNDAY, MONDAY, DayOfWeek.TUESDAY, DayOfWeek.WEDNESDAY,
      THURSDAY);
  /** One is a Monday, one the Thursday before a long week-end, one the leap day, and three follow each other. */
  private static final List<LocalDate> HOLIDAYS = List.of(LocalDate.of(2027, 1, 1), LocalDate.of(2027, 3, 29),
      LocalDate.of(2027, 12, 23), LocalDate.of(2027, 12, 24), LocalDate.of(2027, 12, 25), LocalDate.of(2028, 2, 29),
      LocalDate.of(2028, 3, 26), LocalDate.of(2028, 12, 25));

  private record Shape(SessionSchedule schedule, PlainSchedule plain) {}

  private static LocalTime time(int hour, int minute) {
    return LocalTime.of(hour, minute);
  }

  private static PlainSchedule plain(ZoneId zone) {
    return new PlainSchedule(zone, zone, FIRST, LAST);
  }

  private static List<Shape> shapes(ZoneId zone) {
    ZoneId other = ZoneId.of("Asia/Tokyo");
    List<Shape> shapes = new ArrayList<>();
    shapes.add(new Shape(SessionSchedule.in(zone).weekdays(MONDAY, FRIDAY).window(time(8, 0), time(17, 0))
        .holidays(HOLIDAYS).build(), plain(zone).daily(WEEKDAYS, time(8, 0), time(17, 0), HOLIDAYS)));
    shapes.add(new Shape(SessionSchedule.in(zone).window(time(0, 0), time(0, 0)).build(),
        plain(zone).daily(ALL, time(0, 0), time(0, 0), List.of())));
    shapes.add(new Shape(SessionSchedule.in(zone).weekdays(SUNDAY, THURSDAY).window(time(17, 0), time(16, 0))
        .holidays(HOLIDAYS).build(), plain(zone).daily(EVENINGS, time(17, 0), time(16, 0), HOLIDAYS)));
    shapes.add(new Shape(SessionSchedule.in(zone).weekly(SUNDAY, time(18, 0), FRIDAY, time(17, 0)).build(),
        plain(zone).weekly(SUNDAY, time(18, 0), FRIDAY, time(17, 0), List.of())));
    shapes.add(new Shape(SessionSchedule.in(zone).weekly(SUNDAY, time(18, 0), FRIDAY, time(17, 0)).holidays(HOLIDAYS)
        .build(), plain(zone).weekly(SUNDAY, time(18, 0), FRIDAY, time(17, 0), HOLIDAYS)));
    shapes.add(new Shape(SessionSchedule.in(zone).weekly(SATURDAY, time(2, 30), SATURDAY, time(2, 30)).build(),
        plain(zone).weekly(SATURDAY, time(2, 30), SATURDAY, time(2, 30), List.of())));
    shapes.add(new Shape(SessionSchedule.in(zone).weekdays(MONDAY, FRIDAY).window(time(7, 0), time(11, 30))
        .window(time(12, 30), time(15, 0)).window(EnumSet.of(SATURDAY), time(23, 0), time(1, 30))
        .holidays(HOLIDAYS).build(),
        plain(zone).daily(WEEKDAYS, time(7, 0), time(11, 30), HOLIDAYS)
            .daily(WEEKDAYS, time(12, 30), time(15, 0), HOLIDAYS)
            .daily(EnumSet.of(SATURDAY), time(23, 0), time(1, 30), HOLIDAYS)));
    shapes.add(new Shape(SessionSchedule.in(zone).window(time(2, 30), time(1, 30)).build(),
        plain(zone).daily(ALL, time(2, 30), time(1, 30), List.of())));
    shapes.add(new Shape(SessionSchedule.in(zone).window(time(2, 15), time(2, 45)).window(time(1, 15), time(1, 45))
        .build(),
        plain(zone).daily(ALL, time(2, 15), time(2, 45), List.of())
            .daily(ALL, time(1, 15), time(1, 45), List.of())));
    shapes.add(new Shape(SessionSchedule.in(zone).window(time(2, 30), time(3, 0)).build(),
        plain(zone).daily(ALL, time(2, 30), time(3, 0), List.of())));
    shapes.add(new Shape(SessionSchedule.in(zone).closeZone(other).window(time(9, 0), time(3, 0)).build(),
        new PlainSchedule(zone, other, FIRST, LAST).daily(ALL, time(9, 0), time(3, 0), List.of())));
    shapes.add(new Shape(SessionSchedule.in(zone).window(time(8, 0), time(17, 0)).resetDaily(time(2, 30)).build(),
        plain(zone).daily(ALL, time(8, 0), time(17, 0), List.of()).resets(null, time(2, 30))));
    shapes.add(new Shape(
        SessionSchedule.in(zone).window(time(8, 0), time(17, 0)).resetWeekly(SUNDAY, time(1, 30)).build(),
        plain(zone).daily(ALL, time(8, 0), time(17, 0), List.of()).resets(SUNDAY, time(1, 30))));
    return shapes;
  }

  /** The changes of summer time, the holidays, and a few of the other days. */
  @ParameterizedTest
  @ValueSource(strings = {"America/New_York", "Australia/Lord_Howe", "+05:30"})
  void specialDaysAreAsInThePlainSchedule(String zone) {
    check(ZoneId.of(zone), 200);
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("zones")
  void oneDayOfTenIsAsInThePlainSchedule(String zone) {
    check(ZoneId.of(zone), 20);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("zones")
  void eachDayIsAsInThePlainSchedule(String zone) {
    check(ZoneId.of(zone), 2);
  }

  static Stream<String> zones() {
    return Stream.of("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC", "+05:30",
        "Pacific/Chatham", "Europe/London");
  }

  private static void check(ZoneId zone, int oneOf) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (Shape shape : shapes(zone)) {
      List<Instant> changes = shape.plain.changes().stream()
          .filter(change -> change.isAfter(FIRST.atStartOfDay(zone).toInstant())
              && change.isBefore(LAST.atStartOfDay(zone).toInstant()))
          .toList();
      for (Instant change : changes) {
        // All of them near the changes of summer time and the holidays, and some of the others.
        if (random.nextInt(oneOf) == 0 || isSpecial(change, zone)) {
          check(shape, change.minusNanos(1), seed);
          check(shape, change, seed);
          check(shape, change.plusSeconds(random.nextInt(100_000)), seed);
        }
      }
    }
  }

  private static boolean isSpecial(Instant change, ZoneId zone) {
    Instant before = change.minusSeconds(100_000);
    Instant after = change.plusSeconds(100_000);
    return !zone.getRules().getOffset(before).equals(zone.getRules().getOffset(after))
        || HOLIDAYS.contains(change.atZone(zone).toLocalDate());
  }

  private static void check(Shape whole, Instant at, long seed) {
    Shape shape = new Shape(whole.schedule, whole.plain.around(at));
    String where = shape.schedule + " at " + at + ", seed " + seed;
    boolean isOpen = shape.plain.isOpen(at);
    assertThat(shape.schedule.isOpen(at)).as(where).isEqualTo(isOpen);
    assertThat(shape.schedule.nextOpen(at).orElse(null)).as("next open of %s", where)
        .isEqualTo(shape.plain.nextOpen(at));
    assertThat(shape.schedule.nextClose(at).orElse(null)).as("next close of %s", where)
        .isEqualTo(shape.plain.nextClose(at));
    assertThat(shape.schedule.tradingSession(at).orElse(null)).as("trading session of %s", where)
        .isEqualTo(shape.plain.session(at));
    assertThat(shape.schedule.nextReset(at).orElse(null)).as("next reset of %s", where)
        .isEqualTo(shape.plain.nextSession(at));
  }
}
