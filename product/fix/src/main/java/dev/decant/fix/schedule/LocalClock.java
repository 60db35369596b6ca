package dev.decant.fix.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesException;
import java.time.zone.ZoneRulesProvider;

/**
 * The wall clock of a time zone. A time that summer time skips is moved by the length of the gap: 02:30 becomes 03:30.
 * A time that exists twice is the second one. QuickFIX/J has the same rules.
 *
 * <p>The rules are read when the object is created, since a provider may have newer ones.
 */
final class LocalClock {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final int SECONDS_PER_DAY = 24 * 60 * 60;

  private final ZoneRules rules;

  LocalClock(ZoneId zone) {
    rules = rules(zone);
  }

  /** Returns the present rules. A {@link ZoneId} keeps those that it was created with. */
  private static ZoneRules rules(ZoneId zone) {
    if (zone.normalized() instanceof ZoneOffset fixed) {
      return fixed.getRules();
    }
    try {
      return ZoneRulesProvider.getRules(zone.getId(), false);
    } catch (ZoneRulesException e) { // A zone of the caller's own.
      return zone.getRules();
    }
  }

  /** Returns the date at an instant, which is in nanoseconds since the epoch. */
  LocalDate date(long epochNanos) {
    long second = Math.floorDiv(epochNanos, NANOS_PER_SECOND);
    int offset = rules.getOffset(Instant.ofEpochSecond(second)).getTotalSeconds();
    return LocalDate.ofEpochDay(Math.floorDiv(second + offset, SECONDS_PER_DAY));
  }

  /** Returns the instant of a local time, in nanoseconds since the epoch. */
  long instant(LocalDate date, LocalTime time) {
    LocalDateTime local = date.atTime(time);
    ZoneOffsetTransition change = rules.getTransition(local);
    if (change == null) {
      return nanos(local, rules.getOffset(local));
    }
    return nanos(local, change.isGap() ? change.getOffsetBefore() : change.getOffsetAfter());
  }

  /**
   * Returns an instant as {@link #instant} does, but in the order of local times. Times that are skipped lie before the
   * change, a nanosecond for each second.
   */
  long nominal(LocalDate date, LocalTime time) {
    ZoneOffsetTransition change = rules.getTransition(date.atTime(time));
    if (change == null || !change.isGap()) {
      return instant(date, time);
    }
    long secondsLeft = Duration.between(date.atTime(time), change.getDateTimeAfter()).toSeconds();
    return Math.multiplyExact(change.toEpochSecond(), NANOS_PER_SECOND) - Math.max(1, secondsLeft);
  }

  @SuppressWarnings("JavaLocalDateTimeGetNano") // The seconds are in the other summand.
  private static long nanos(LocalDateTime local, ZoneOffset offset) {
    return Math.addExact(Math.multiplyExact(local.toEpochSecond(offset), NANOS_PER_SECOND), local.getNano());
  }
}
