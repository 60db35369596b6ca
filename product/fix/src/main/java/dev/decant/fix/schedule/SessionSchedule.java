package dev.decant.fix.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When a session is open, and when its sequence numbers are reset to 1. Immutable, and a function of time alone: it
 * reads no clock.
 *
 * <pre>
 * SessionSchedule.in(ZoneId.of("America/New_York"))
 *     .weekdays(DayOfWeek.MONDAY, DayOfWeek.FRIDAY)          // Monday to Friday
 *     .window(LocalTime.of(8, 0), LocalTime.of(17, 0))
 *     .holidays(LocalDate.of(2026, 12, 25)).build()
 * </pre>
 *
 * <p>A window is open from its opening, inclusive, to its closing, exclusive. It closes at the next closing time on the
 * clock. That is on the next day if the closing time is not later than the opening time.
 *
 * <p>Summer time: a time that is skipped is moved by the length of the gap (02:30 becomes 03:30). A time that exists
 * twice is the second one. QuickFIX/J and {@link java.time.ZonedDateTime} have the same rules. A window that would not
 * end after its opening on that day does not open. The rules of the time zones are read again at each call.
 *
 * <p>A <em>trading session</em> is the time in which sequence numbers count up: from one reset to the next. An instant
 * after a window belongs to the trading session of that window, until the next one opens. A trading session is
 * identified by its start.
 *
 * <p>Any thread.
 */
public final class SessionSchedule {
  private static final SessionSchedule NON_STOP = in(ZoneOffset.UTC).nonStop().build();
  private static final long NEVER = Long.MAX_VALUE;
  private static final long NONE = Long.MIN_VALUE;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final ZoneId openZone;
  private final ZoneId closeZone;
  /** The windows; empty for a session that is always open. */
  private final List<Window> windows;
  private final Set<LocalDate> holidays;
  private final ResetRule reset;
  private final boolean announcesReset;
  private final boolean resetsWithoutLogout;
  private final Duration logoutBeforeClose;

  SessionSchedule(SessionScheduleBuilder builder) {
    openZone = builder.openZone;
    closeZone = builder.closeZone;
    windows = builder.windows();
    holidays = Set.copyOf(builder.holidays);
    reset = builder.reset();
    announcesReset = builder.announceReset;
    resetsWithoutLogout = builder.resetWithoutLogout;
    logoutBeforeClose = builder.logoutBeforeClose;
  }

  /**
   * Returns the schedule of a session that is always open, and whose numbers are never reset. The default of sessions.
   *
   * @return the schedule
   */
  public static SessionSchedule nonStop() {
    return NON_STOP;
  }

  /**
   * Returns a builder of a schedule.
   *
   * @param zone the zone of its times and dates
   * @return a builder without windows
   */
  public static SessionScheduleBuilder in(ZoneId zone) {
    return new SessionScheduleBuilder(zone);
  }

  /**
   * Returns true if a session is open.
   *
   * @param at the instant
   * @return true within a window
   */
  public boolean isOpen(Instant at) {
    long nanos = nanos(at);
    OpenSpan span = span(nanos);
    return span != null && span.open() <= nanos;
  }

  /**
   * Returns the next opening.
   *
   * @param after the instant
   * @return the first opening after it; empty if there is none within two years
   */
  public Optional<Instant> nextOpen(Instant after) {
    long nanos = nanos(after);
    if (windows.isEmpty()) {
      return Optional.empty();
    }
    Windows now = windowsNow();
    OpenSpan span = now.wholeAtOrAfter(nanos);
    if (span != null && span.open() <= nanos) {
      span = span.close() == NEVER ? null : now.atOrAfter(span.close());
    }
    return span == null ? Optional.empty() : Optional.of(instant(span.open()));
  }

  /**
   * Returns the next closing.
   *
   * @param after the instant
   * @return the end of the window that it is in, or of the next one; empty if there is none within two years
   */
  public Optional<Instant> nextClose(Instant after) {
    OpenSpan span = windows.isEmpty() ? null : windowsNow().wholeAtOrAfter(nanos(after));
    return span == null || span.close() == NEVER ? Optional.empty() : Optional.of(instant(span.close()));
  }

  /**
   * Returns the trading session that an instant belongs to.
   *
   * @param at the instant
   * @return when the trading session began, which identifies it; empty if it has no beginning
   */
  public Optional<Instant> tradingSession(Instant at) {
    long start = sessionStart(nanos(at));
    return start == NONE ? Optional.empty() : Optional.of(instant(start));
  }

  /**
   * Returns true if two instants belong to the same trading session.
   *
   * @param one an instant
   * @param other another one
   * @return true if no reset lies between them
   */
  public boolean isSameTradingSession(Instant one, Instant other) {
    return sessionStart(nanos(one)) == sessionStart(nanos(other));
  }

  /**
   * Returns the next reset of the sequence numbers.
   *
   * @param after the instant
   * @return the first one after it; empty if there is none within two years
   */
  public Optional<Instant> nextReset(Instant after) {
    return switch (reset.kind()) {
      case NEVER -> Optional.empty();
      case AT_TIME -> Optional.of(instant(reset.nextAfter(nanos(after), new LocalClock(openZone))));
      case AT_OPEN -> nextSessionStart(nanos(after));
    };
  }

  /** Returns the next start of a trading session. A window that continues after a holiday starts none. */
  private Optional<Instant> nextSessionStart(long nanos) {
    Windows now = windowsNow();
    OpenSpan span = now.atOrAfter(nanos);
    while (span != null && span.sessionStart() <= nanos) {
      span = now.atOrAfter(span.close());
    }
    return span == null ? Optional.empty() : Optional.of(instant(span.sessionStart()));
  }

  /**
   * Returns true if the first Logon(A) of an initiator in a trading session has ResetSeqNumFlag(141).
   *
   * @return false, the default, if the counterparty resets its numbers by the same schedule
   */
  public boolean announcesReset() {
    return announcesReset;
  }

  /**
   * Returns true if a session stays logged on when its numbers are reset at a time of their own. A Logon(A) with
   * ResetSeqNumFlag(141) then asks the counterparty to reset its numbers, too, see
   * {@link dev.decant.fix.FixSession#resetWithoutLogout}. If the session is not logged on at that time, its next logon
   * does so.
   *
   * @return false, the default, if the session is logged out for a reset
   */
  public boolean resetsWithoutLogout() {
    return resetsWithoutLogout;
  }

  /**
   * Returns how long before the end of a window an initiator logs out. Default 1 s.
   *
   * @return the time ahead
   */
  public Duration logoutBeforeClose() {
    return logoutBeforeClose;
  }

  /**
   * Returns true if there are no windows.
   *
   * @return true if the session is always open
   */
  public boolean isNonStop() {
    return windows.isEmpty();
  }

  /**
   * Returns true if sequence numbers are reset to 1 whenever a window opens.
   *
   * @return false if they are reset at a time of their own, or never
   */
  public boolean resetsAtOpen() {
    return reset.kind() == ResetRule.Kind.AT_OPEN;
  }

  /**
   * Computes the times that an engine needs at an instant. The call allocates, so the caller keeps the result.
   *
   * @param epochNanos the instant, in nanoseconds since the epoch
   * @param asInitiator true if windows end {@link #logoutBeforeClose()} before their closing. A reset with a logout at
   *     a time of its own is then due as much earlier, too
   * @return the times around the instant
   */
  public ScheduleTimes timesAt(long epochNanos, boolean asInitiator) {
    long ahead = asInitiator ? logoutBeforeClose.toNanos() : 0;
    long at = epochNanos + ahead;
    boolean resetsAtTime = reset.kind() == ResetRule.Kind.AT_TIME;
    long resetAhead = resetsWithoutLogout ? 0 : ahead;
    long resetAt = epochNanos + resetAhead;
    long lastReset = resetsAtTime ? sessionStart(resetAt) : NONE;
    long nextReset = resetsAtTime ? reset.nextAfter(resetAt, new LocalClock(openZone)) - resetAhead : NEVER;
    long start = resetsAtTime ? lastReset - resetAhead : sessionStart(epochNanos);
    if (windows.isEmpty()) {
      return new ScheduleTimes(lastReset > epochNanos ? lastReset : NONE, resetAhead > 0 ? nextReset : NEVER, start,
          nextReset, NONE);
    }
    Windows now = windowsNow();
    OpenSpan span = now.atOrAfter(at);
    OpenSpan ended = now.lastEnded(at);
    long open = span == null ? NEVER : Math.max(span.open(), lastReset > epochNanos ? lastReset : NONE);
    long close = span == null ? NEVER : span.close() - ahead;
    if (resetAhead > 0 && nextReset > open) {
      close = Math.min(close, nextReset);
    }
    return new ScheduleTimes(open, close, start, nextReset, ended == null ? NONE : ended.close() - ahead);
  }

  private long sessionStart(long nanos) {
    return switch (reset.kind()) {
      case NEVER -> NONE;
      case AT_TIME -> reset.lastAt(nanos, new LocalClock(openZone));
      case AT_OPEN -> {
        OpenSpan span = windowsNow().lastOpened(nanos);
        yield span == null ? NONE : span.sessionStart();
      }
    };
  }

  private @Nullable OpenSpan span(long nanos) {
    return windows.isEmpty() ? new OpenSpan(NONE, NONE, NEVER) : windowsNow().atOrAfter(nanos);
  }

  private Windows windowsNow() {
    return new Windows(windows, holidays, openZone, closeZone, !resetsAtOpen());
  }

  private static long nanos(Instant at) {
    return Math.addExact(Math.multiplyExact(at.getEpochSecond(), NANOS_PER_SECOND), at.getNano());
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS_PER_SECOND), Math.floorMod(nanos, NANOS_PER_SECOND));
  }

  @Override
  public String toString() {
    String hours = windows.isEmpty() ? "always open" : windows + " " + openZone;
    return hours + (closeZone.equals(openZone) ? "" : ", closing times " + closeZone)
        + (holidays.isEmpty() ? "" : ", " + holidays.size() + " holidays")
        + switch (reset.kind()) {
          case NEVER -> ", no reset";
          case AT_OPEN -> ", reset at opening";
          case AT_TIME -> ", reset " + (reset.day() == null ? "daily" : reset.day()) + " at " + reset.time()
              + (resetsWithoutLogout ? " without a logout" : "");
        };
  }
}
