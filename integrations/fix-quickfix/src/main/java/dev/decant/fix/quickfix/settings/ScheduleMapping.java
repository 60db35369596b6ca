package dev.decant.fix.quickfix.settings;

import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.schedule.SessionScheduleBuilder;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts the trading hours of a session. Its numbers are reset to 1 when a window opens. */
final class ScheduleMapping {
  private static final Pattern TIME = Pattern.compile("(\\d{2}:\\d{2}:\\d{2})(.*)");
  private static final String DAYS = "a day of the week, or its first two letters";

  /** One end of a window: a time of day, in a zone. */
  private record End(LocalTime time, ZoneId zone) {}

  private ScheduleMapping() {}

  static SessionSchedule of(Section section) {
    if (section.flag("NonStopSession", false) || (!section.has("StartTime") && !section.has("EndTime"))) {
      return SessionSchedule.nonStop();
    }
    ZoneId zone = section.read("TimeZone", ZoneId.of("UTC"), "a time zone, such as Europe/London",
        ScheduleMapping::zone);
    End open = end(section, "StartTime", zone);
    End close = end(section, "EndTime", zone);
    SessionScheduleBuilder schedule = SessionSchedule.in(open.zone()).closeZone(close.zone()).announceReset(false);
    if (section.has("Weekdays")) {
      Set<DayOfWeek> days = section.read("Weekdays", Set.of(), "days of the week, separated by commas",
          ScheduleMapping::days);
      return schedule.window(days, open.time(), close.time()).build();
    }
    if (section.has("StartDay") || section.has("EndDay")) {
      return schedule.weekly(day(section, "StartDay"), open.time(), day(section, "EndDay"), close.time()).build();
    }
    return schedule.window(open.time(), close.time()).build();
  }

  private static End end(Section section, String name, ZoneId zone) {
    if (!section.has(name)) {
      throw new IllegalArgumentException(name + " is missing: StartTime and EndTime belong together");
    }
    return section.read(name, new End(LocalTime.MIN, zone), "HH:MM:SS, with or without a time zone", text -> {
      Matcher matcher = TIME.matcher(text);
      if (!matcher.matches()) {
        throw new IllegalArgumentException();
      }
      String own = matcher.group(2).strip();
      return new End(LocalTime.parse(matcher.group(1)), own.isEmpty() ? zone : zone(own));
    });
  }

  private static ZoneId zone(String name) {
    return ZoneId.of(name, ZoneId.SHORT_IDS);
  }

  private static DayOfWeek day(Section section, String name) {
    if (!section.has(name)) {
      throw new IllegalArgumentException(name + " is missing: StartDay and EndDay belong together");
    }
    return section.read(name, DayOfWeek.MONDAY, DAYS, ScheduleMapping::day);
  }

  private static Set<DayOfWeek> days(String list) {
    Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
    for (String name : list.split(",", -1)) {
      days.add(day(name));
    }
    return days;
  }

  private static DayOfWeek day(String name) {
    String start = name.strip().toUpperCase(Locale.ROOT);
    for (DayOfWeek day : DayOfWeek.values()) {
      if (start.length() >= 2 && day.name().startsWith(start)) {
        return day;
      }
    }
    throw new IllegalArgumentException(DAYS);
  }
}
