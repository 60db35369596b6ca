package dev.decant.fix;

import dev.decant.fix.schedule.ScheduleTimes;
import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.TradingHours;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.WhileClosed;
import dev.decant.fix.status.ScheduleStatus;
import dev.decant.fix.store.MessageStore;
import dev.decant.loop.Timer;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens and closes a session by its schedule, and resets its numbers.
 *
 * <pre>
 *   closing                         opening
 *   Logout, end, [reset if queued]  [reset], [expire], connect
 *   |-------------------------------|--------------------------- ...
 *   no logon, whileClosed decides   logons
 * </pre>
 *
 * <p>One timer waits for the next opening, closing or reset, but for one minute at most: the time of day may be set
 * meanwhile. The age of the store decides whether the numbers are reset. So a clock that is set back, and passes an
 * opening twice, causes no second reset.
 *
 * <p>Owner of the loop only, unless a comment says "any thread".
 */
final class SessionHours {
  private static final long CHECK_NANOS = TimeUnit.MINUTES.toNanos(1);
  /** How long computed times are used: then the rules of the time zone may have changed. */
  private static final long TIMES_NANOS = TimeUnit.HOURS.toNanos(1);
  /** Delay before another attempt to reset a store that refused it. */
  private static final long STORE_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** If numbers begin this far in the future, the time of day was wrong when they began. */
  private static final long WRONG_TIME_NANOS = TimeUnit.DAYS.toNanos(1);

  private final EngineClock clock;
  private final EngineLoop home;
  private final PendingOutput output;
  /** Called when the window has opened. */
  private final Runnable opened;
  private final SessionSchedule schedule;
  private final WhileClosed whileClosed;
  private final @Nullable Reconnector reconnector;
  private final boolean isScheduled;
  private final Timer timer = new Timer(this::onTimer);
  /** The times of the schedule around {@link #computedAt}. */
  private ScheduleTimes times;
  /** The time for which {@link #times} was computed, in nanoseconds since the epoch. */
  private long computedAt;
  /** When the numbers of the trading session began, as of the last check. Nanoseconds since the epoch. */
  private long numbersBegin;
  /** A notice of the change of the store at its opening; empty if there was none. */
  private String openingNotice = "";
  /** The range of stored messages that were accepted while the window was closed; 0 if there are none. */
  private long firstUnsent;
  private long lastUnsent;
  /** True if the reset of an old store has discarded that range. */
  private boolean areDiscarded;
  /** Applies the schedule; null before {@link #attach} and after {@link #stop}. */
  private @Nullable TradingHours hours;
  /** The session; null before {@link #attach} and after {@link #stop}. */
  private @Nullable SessionProtocol protocol;
  /** The last result of {@link #status}. Written and read by any thread. */
  private volatile @Nullable Known lastKnown;
  /**
   * True while the window is open and the store has the numbers of the trading session. Written by the owner, read by
   * any thread.
   */
  private volatile boolean isOpen;

  SessionHours(EngineClock clock, EngineLoop home, SessionSettings settings, @Nullable Reconnector reconnector,
      PendingOutput output, Runnable opened) {
    this.clock = clock;
    this.home = home;
    this.output = output;
    this.opened = opened;
    this.schedule = settings.schedule();
    this.whileClosed = settings.whileClosed();
    this.reconnector = reconnector;
    this.isScheduled = !schedule.equals(SessionSchedule.nonStop());
    this.computedAt = clock.epochNanos();
    this.times = schedule.timesAt(computedAt, reconnector != null);
    this.numbersBegin = numbersBegin();
    this.isOpen = times.isOpen(computedAt);
  }

  // The thread that opens the session, before other threads see it.

  /**
   * Resets a store whose numbers began in an earlier trading session, and finds its unsent messages.
   *
   * @throws IOException if the store refuses the reset
   */
  void takeStore(MessageStore store) throws IOException {
    if (isScheduled && whileClosed == WhileClosed.QUEUE) {
      // This search comes first: times of messages prove nothing after the time of day was set back.
      findUntouched(store);
    }
    if (isScheduled && whileClosed != WhileClosed.REFUSE && firstUnsent == 0) {
      findUnsent(store);
    }
    resetIfOld(store);
    isOpen = isOpen && !isOfNextWindow(store);
  }

  /**
   * Returns true if the present window has ended once already, and the time of day was set back into it. The store then
   * has queued messages with numbers of the next trading session, which the counterparty does not expect yet.
   */
  private boolean isOfNextWindow(MessageStore store) {
    return resetsAtEnd() && store.createdEpochNanos() >= times.close();
  }

  /**
   * Finds messages that an earlier process accepted while the window was closed. They are the last ones in the store,
   * since a logon would have used a number after them.
   */
  private void findUnsent(MessageStore store) throws IOException {
    store.replayOutbound(1, store.nextOutbound() - 1, (number, epochNanos, buffer, from, to) -> {
      boolean isOutOfHours = epochNanos >= times.lastEnd() && epochNanos < times.open();
      if (!isOutOfHours) {
        firstUnsent = 0;
      } else if (firstUnsent == 0 || number != lastUnsent + 1) {
        firstUnsent = number;
      }
      lastUnsent = number;
      return true;
    });
    if (lastUnsent != store.nextOutbound() - 1) {
      firstUnsent = 0;
    }
  }

  /**
   * Finds out whether no message of the store was ever sent. Then each number belongs to a message, since a logon would
   * have used one without. The messages may have been queued under another schedule. Once, a reset discarded them
   * without a report. A store that had a logon is not searched: it may hold a whole day.
   */
  private void findUntouched(MessageStore store) throws IOException {
    long last = store.nextOutbound() - 1;
    if (last == 0 || store.nextInbound() != 1) {
      return;
    }
    long[] count = new long[1];
    store.replayOutbound(1, last, (number, epochNanos, buffer, from, to) -> number == ++count[0]);
    if (count[0] == last) {
      firstUnsent = 1;
      lastUnsent = last;
    }
  }

  private void resetIfOld(MessageStore store) throws IOException {
    long created = store.createdEpochNanos();
    if (created > computedAt + WRONG_TIME_NANOS) {
      openingNotice = "the store's numbers began at " + instant(created) + ", after now: they are kept";
      return;
    }
    if (created >= numbersBegin) {
      return;
    }
    findUntouched(store);
    long out = store.nextOutbound();
    long in = store.nextInbound();
    if (!store.reset(computedAt)) {
      throw new IOException("the store's numbers began at " + instant(created) + ", in an earlier trading session, and"
          + " it does not take their reset: " + store.failure(), store.failure());
    }
    areDiscarded = firstUnsent != 0;
    openingNotice = "sequence numbers begin with 1: those of the store began at " + instant(created)
        + ", in an earlier trading session, and were " + out + " out and " + in + " in";
  }

  /** Connects the schedule with its session, which has just been made. */
  void attach(SessionProtocol made) {
    protocol = made;
    TradingHours mine = new TradingHours(made);
    hours = mine;
    if (!isOpen) {
      mine.beginClosed();
    }
    if (firstUnsent != 0 && !areDiscarded) {
      mine.unsentBefore(firstUnsent, lastUnsent);
      // The first check opens the session after these messages have expired.
      isOpen = isOpen && whileClosed != WhileClosed.EXPIRE;
    }
  }

  // Any thread.

  boolean isOpen() {
    return isOpen;
  }

  Instant now() {
    return instant(clock.epochNanos());
  }

  boolean isScheduled() {
    return isScheduled;
  }

  /**
   * Returns the present state of the schedule. It is computed again after each change, and once an hour for new time
   * zone rules.
   */
  ScheduleStatus status() {
    Instant now = now();
    Known known = lastKnown;
    if (known == null || !known.isRightAt(now)) {
      known = Known.at(now, schedule);
      lastKnown = known;
    }
    return new ScheduleStatus(isOpen, known.nextOpen, known.nextClose, known.nextReset, known.text);
  }

  /** The state of the schedule at {@code from}, which holds until the first of its times. */
  private record Known(Instant from, Instant until, @Nullable Instant nextOpen, @Nullable Instant nextClose,
      @Nullable Instant nextReset, String text) {
    static Known at(Instant now, SessionSchedule schedule) {
      Instant open = schedule.nextOpen(now).orElse(null);
      Instant close = schedule.nextClose(now).orElse(null);
      Instant reset = schedule.nextReset(now).orElse(null);
      Instant until = now.plusNanos(TIMES_NANOS);
      for (Instant time : new Instant[] {open, close, reset}) {
        until = time != null && time.isBefore(until) ? time : until;
      }
      return new Known(now, until, open, close, reset, schedule.toString());
    }

    boolean isRightAt(Instant now) {
      return !now.isBefore(from) && now.isBefore(until);
    }
  }

  // The owner.

  /** Starts the schedule after the engine has added the session. */
  void start() {
    TradingHours mine = hours;
    if (mine != null && !openingNotice.isEmpty()) {
      home.touchTime();
      mine.notice(openingNotice);
    }
    if (mine != null && areDiscarded) {
      mine.discarded(firstUnsent, lastUnsent);
    }
    check();
    if (mine != null && !isOpen) {
      mine.notice(closedText());
    }
  }

  private void onTimer() {
    check();
    output.pump();
  }

  /** Stops the schedule when the session is closed. A later check has no effect and sets no timer. */
  void stop() {
    home.loop().cancel(timer);
    protocol = null;
    hours = null;
  }

  /** Returns true if the timer is set. */
  boolean isWaiting() {
    return timer.isScheduled();
  }

  /** Returns why a Logon(A) is refused now; null if it is not. */
  @Nullable
  String refusal() {
    return isOpen ? null : closedText();
  }

  private String closedText() {
    SessionProtocol session = protocol;
    if (session != null && isOfNextWindow(session.store())) {
      return "the session is closed until the next window, whose numbers it has already: the time of day was set back";
    }
    if (times.isOpen(home.time().epochNanos())) {
      return "the session cannot begin now: its sequence numbers are being reset";
    }
    return "the session is closed, and "
        + (times.open() == Long.MAX_VALUE ? "does not open any more" : "opens at " + instant(times.open()));
  }

  /** Runs the actions that are due. Also called after the end of a connection, for which an action may have waited. */
  void check() {
    SessionProtocol session = protocol;
    TradingHours mine = hours;
    if (!isScheduled || session == null || mine == null) {
      return;
    }
    home.touchTime();
    long now = home.time().epochNanos();
    update(now);
    boolean isDue = times.isOpen(now) && !isOfNextWindow(session.store());
    boolean hasNumbers = reset(session, mine, now);
    boolean shallBeOpen = isDue && hasNumbers && (isOpen || expire(session, mine));
    if (isOpen && !shallBeOpen) {
      isOpen = false;
      leave(session, mine, isDue);
    } else if (!isOpen && shallBeOpen) {
      isOpen = true;
      enter(mine);
    }
    schedule(now, isDue && !shallBeOpen && !session.isConnected());
  }

  private void update(long now) {
    if (now < computedAt || now - computedAt >= TIMES_NANOS || now >= times.nextChange(computedAt)) {
      computedAt = now;
      times = schedule.timesAt(now, reconnector != null);
    }
  }

  /**
   * Returns when the numbers that the session should have began. Queued messages have numbers of the next trading
   * session.
   */
  private long numbersBegin() {
    return resetsAtEnd() ? times.lastEnd() : times.sessionStart();
  }

  private boolean resetsAtEnd() {
    return whileClosed == WhileClosed.QUEUE && schedule.resetsAtOpen();
  }

  /** Resets numbers of an earlier trading session. Returns false if that is not complete. */
  private boolean reset(SessionProtocol session, TradingHours mine, long now) {
    long begin = numbersBegin();
    boolean isNew = begin > numbersBegin;
    numbersBegin = begin;
    long created = session.store().createdEpochNanos();
    if (created >= begin && !(isNew && created - now > WRONG_TIME_NANOS)) {
      return true;
    }
    if (schedule.resetsWithoutLogout() && mine.resetWithoutLogout()) {
      return true; // The present numbers stay valid until both ends have reset them.
    }
    mine.reset((schedule.announcesReset() && reconnector != null) || schedule.resetsWithoutLogout(),
        "a trading session begins");
    return session.store().createdEpochNanos() != created;
  }

  private boolean expire(SessionProtocol session, TradingHours mine) {
    return whileClosed != WhileClosed.EXPIRE || (!session.isConnected() && mine.expire());
  }

  private void leave(SessionProtocol session, TradingHours mine, boolean isDue) {
    if (reconnector != null) {
      reconnector.stop();
    }
    if (!isDue) {
      String text = closedText();
      mine.notice(text);
      mine.close(text);
    } else if (!session.isConnected()) {
      mine.notice("the store cannot be reset now: the session does not log on");
    }
  }

  private void enter(TradingHours mine) {
    mine.open();
    mine.notice("the session is open" + (times.close() == Long.MAX_VALUE ? "" : " until " + instant(times.close())));
    opened.run();
  }

  private void schedule(long now, boolean isRetry) {
    long wait = Math.min(CHECK_NANOS, times.nextChange(now) - now);
    home.loop().schedule(timer, home.loop().nowNanos() + (isRetry ? Math.min(wait, STORE_RETRY_NANOS) : wait));
  }

  private static Instant instant(long epochNanos) {
    return Instant.ofEpochSecond(0, epochNanos);
  }
}
