package dev.decant.fix.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.schedule.SessionScheduleBuilder;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.util.Calendar;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TimeZone;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import quickfix.DefaultSessionSchedule;
import quickfix.SessionID;
import quickfix.SessionSettings;
import quickfix.SystemTime;
import quickfix.SystemTimeSource;

/** QuickFIX/J and Decant open sessions at the same times, and assign instants to the same trading sessions. */
class QuickFixScheduleTest {
  private static final List<String> ZONES = List.of("America/New_York", "Europe/London", "Asia/Tokyo", "UTC",
      "Australia/Sydney");
  private static final Instant FIRST = Instant.parse("2027-01-01T00:00:00Z");
  private static final int MINUTES_OF_TWO_YEARS = 2 * 365 * 24 * 60;
  private static final SessionID ID = new SessionID("FIX.4.4", "A", "B");

  /** The time of QuickFIX/J. */
  private static final class SetTime implements SystemTimeSource {
    long millis;

    @Override
    public long getTime() {
      return millis;
    }

    @Override
    public java.time.LocalDateTime getNow() {
      return java.time.LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneId.of("UTC"));
    }
  }

  private final SetTime time = new SetTime();
  private final long seed = Long.getLong("decant.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private ZoneId zone = ZoneId.of("UTC");
  private LocalTime open = LocalTime.MIDNIGHT;
  private LocalTime close = LocalTime.MIDNIGHT;

  @AfterEach
  void giveTimeBack() {
    SystemTime.setTimeSource(null);
  }

  @Test
  void sessionsAreOpenAndTheSameAtTheSameTimes() throws Exception {
    SystemTime.setTimeSource(time);
    for (int i = 0; i < 60; i++) {
      SessionSettings theirs = new SessionSettings();
      SessionSchedule ours = schedule(theirs);
      DefaultSessionSchedule other = new DefaultSessionSchedule(theirs, ID);
      Instant before = null;
      for (int j = 0; j < 40; j++) {
        // Half a minute after a full one: at the closing itself QuickFIX/J is open for a millisecond more.
        Instant at = FIRST.plusSeconds(60L * random.nextInt(MINUTES_OF_TWO_YEARS) + 30);
        at = j % 2 == 0 || before == null ? at : before.plusSeconds(60L * random.nextInt(3 * 24 * 60));
        time.millis = at.toEpochMilli();
        String where = ours + " at " + at + ", seed " + seed;
        if (isSkippedOrRepeated(at)) {
          continue;
        }
        assertThat(ours.isOpen(at)).as(where).isEqualTo(other.isSessionTime());
        if (before != null && ours.isOpen(at) && ours.isOpen(before)) {
          assertThat(ours.isSameTradingSession(before, at)).as("%s and %s", before, where)
              .isEqualTo(other.isSameSession(calendar(before), calendar(at)));
        }
        before = at;
      }
    }
  }

  /**
   * Whether the window opens or closes within a week of now at a local time that the change of summer time skips or
   * repeats. QuickFIX/J takes it for another session in the window's last hour.
   */
  private boolean isSkippedOrRepeated(Instant at) {
    LocalDate date = at.atZone(zone).toLocalDate();
    return date.minusDays(7).datesUntil(date.plusDays(8)).anyMatch(
        day -> zone.getRules().getTransition(day.atTime(open)) != null
            || zone.getRules().getTransition(day.atTime(close)) != null);
  }

  private SessionSchedule schedule(SessionSettings theirs) {
    zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    open = LocalTime.of(random.nextInt(24), 15 * random.nextInt(4));
    close = open.plusMinutes(180 + 15L * random.nextInt(80));
    SessionScheduleBuilder ours = SessionSchedule.in(zone).logoutBeforeClose(Duration.ZERO);
    String closeZone = zone.getId();
    switch (random.nextInt(4)) {
      case 0 -> ours.window(open, close);
      case 1 -> {
        DayOfWeek openDay = DayOfWeek.of(1 + random.nextInt(7));
        DayOfWeek closeDay = openDay.plus(1 + random.nextInt(5));
        ours.weekly(openDay, open, closeDay, close);
        theirs.setString(ID, "StartDay", name(openDay));
        theirs.setString(ID, "EndDay", name(closeDay));
      }
      case 2 -> {
        EnumSet<DayOfWeek> days = EnumSet.of(DayOfWeek.of(1 + random.nextInt(7)), DayOfWeek.of(1 + random.nextInt(7)));
        ours.weekdays(days).window(open, close);
        theirs.setString(ID, "Weekdays",
            days.stream().map(QuickFixScheduleTest::name).collect(Collectors.joining(",")));
      }
      default -> {
        // By day in both zones: QuickFIX/J takes some windows that end on another date of the second zone as closed.
        zone = ZoneId.of("Europe/London");
        closeZone = "America/New_York";
        open = LocalTime.of(7 + random.nextInt(4), 15);
        close = LocalTime.of(15 + random.nextInt(3), 45);
        ours = SessionSchedule.in(zone).closeZone(ZoneId.of(closeZone)).window(open, close);
      }
    }
    theirs.setString(ID, "StartTime", open + ":00 " + zone);
    theirs.setString(ID, "EndTime", close + ":00 " + closeZone);
    return ours.build();
  }

  private static String name(DayOfWeek day) {
    return day.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  private static Calendar calendar(Instant at) {
    Calendar calendar = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    calendar.setTimeInMillis(at.toEpochMilli());
    return calendar;
  }
}
