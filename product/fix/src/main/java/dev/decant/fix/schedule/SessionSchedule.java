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
 * When a session is open, and when its sequence numbers begin with 1. Immutable, and a function of time alone: it reads
 * no clock.
 *
 * <pre>
 * SessionSchedule.in(ZoneId.of("America/New_York"))
 *     .weekdays(DayOfWeek.MONDAY, DayOfWeek.FRIDAY)          // Monday to Friday
 *     .window(LocalTime.of(8, 0), LocalTime.of(17, 0))
 *     .holidays(LocalDate.of(2026, 12, 25)).build()
 * </pre>
 *
 * <p>A window is open from its opening, inclusive, to its closing, exclusive. It closes at the next closing time on the
 * clock: on the same day, or on the next one if the closing time is not later than the opening time.
 *
 * <p>Summer time: a time that is skipped is moved by the length of the gap (02:30 becomes 03:30). A time that exists
 * twice is the second one. QuickFIX/J and {@link java.time.ZonedDateTime} have the same rules. A window that would not
 * end after its opening on such a day does not open. The rules of the time zones are read anew at each call.
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
  /** Empty for a session that is always open. */
  private final List<Window> windows;
  private final Set<LocalDate> holidays;
  private final ResetRule reset;
  private final boolean announcesReset;
  private final boolean resetsWithoutLogout;
  private final Duration logoutAhead;

  SessionSchedule(SessionScheduleBuilder builder) {
    openZone = builder.openZone;
    closeZone = builder.closeZone;
    windows = builder.windows();
    holidays = Set.copyOf(builder.holidays);
    reset = builder.reset();
    announcesReset = builder.announceReset;
    resetsWithoutLogout = builder.resetWithoutLogout;
    logoutAhead = builder.logoutAhead;
  }

  /**
   * A session that is always open, and whose numbers go on until somebody resets them. The default of sessions.
   *
   * @return the schedule
   */
  public static SessionSchedule nonStop() {
    return NON_STOP;
  }

  /**
   * Begins a schedule.
   *
   * @param zone of its times and dates
   * @return a builder without windows
   */
  public static SessionScheduleBuilder in(ZoneId zone) {
    return new SessionScheduleBuilder(zone);
  }

  /**
   * Tells whether a session is open.
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
   * The next opening.
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
   * The next closing.
   *
   * @param after the instant
   * @return the end of the window that it is in, or of the next one; empty if there is none within two years
   */
  public Optional<Instant> nextClose(Instant after) {
    OpenSpan span = windows.isEmpty() ? null : windowsNow().wholeAtOrAfter(nanos(after));
    return span == null || span.close() == NEVER ? Optional.empty() : Optional.of(instant(span.close()));
  }

  /**
   * The trading session that an instant belongs to.
   *
   * @param at the instant
   * @return when the trading session began, which identifies it; empty if it has no beginning
   */
  public Optional<Instant> tradingSession(Instant at) {
    long start = sessionStart(nanos(at));
    return start == NONE ? Optional.empty() : Optional.of(instant(start));
  }

  /**
   * Tells whether two instants belong to one trading session.
   *
   * @param one an instant
   * @param other another one
   * @return true if no numbers begin between them
   */
  public boolean isSameTradingSession(Instant one, Instant other) {
    return sessionStart(nanos(one)) == sessionStart(nanos(other));
  }

  /**
   * The next reset of the sequence numbers.
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

  /** A window that goes on after a holiday begins no trading session. */
  private Optional<Instant> nextSessionStart(long nanos) {
    Windows now = windowsNow();
    OpenSpan span = now.atOrAfter(nanos);
    while (span != null && span.sessionStart() <= nanos) {
      span = now.atOrAfter(span.close());
    }
    return span == null ? Optional.empty() : Optional.of(instant(span.sessionStart()));
  }

  /**
   * Tells whether the first Logon(A) of an initiator in a trading session has ResetSeqNumFlag(141).
   *
   * @return false, the default, if the counterparty resets its numbers by the same schedule
   */
  public boolean announcesReset() {
    return announcesReset;
  }

  /**
   * Tells whether a session that is logged on stays so when its numbers begin with 1 at a time of their own: a Logon(A)
   * with ResetSeqNumFlag(141) asks the counterparty to do the same, see
   * {@link dev.decant.fix.FixSession#resetWithoutLogout}. If the session is not logged on at the time, its next logon
   * asks.
   *
   * @return false, the default, if the session is logged out for a reset
   */
  public boolean resetsWithoutLogout() {
    return resetsWithoutLogout;
  }

  /**
   * How long before the end of a window an initiator logs out. Default 1 s.
   *
   * @return the time ahead
   */
  public Duration logoutAhead() {
    return logoutAhead;
  }

  /**
   * Tells whether there are no windows.
   *
   * @return true if the session is always open
   */
  public boolean isNonStop() {
    return windows.isEmpty();
  }

  /**
   * Tells whether sequence numbers begin with 1 whenever a window opens.
   *
   * @return false if they do so at a time of their own, or never
   */
  public boolean resetsAtOpen() {
    return reset.kind() == ResetRule.Kind.AT_OPEN;
  }

  /**
   * What an engine has to know at an instant, computed once. It allocates: keep the result.
   *
   * @param epochNanos the instant, in nanoseconds since the epoch
   * @param asInitiator whether windows end {@link #logoutAhead()} before their closing, and before a reset at a time of
   *     its own that is done with a logout, which then counts from there
   * @return the state, and when it changes
   */
  public ScheduleTimes timesAt(long epochNanos, boolean asInitiator) {
    long ahead = asInitiator ? logoutAhead.toNanos() : 0;
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
