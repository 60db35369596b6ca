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
 * Holds a session to its schedule.
 *
 * <pre>
 *   closing                         opening
 *   Logout, end, [reset if queued]  [reset], [expire], connect
 *   |-------------------------------|--------------------------- ...
 *   no logon, whileClosed decides   logons
 * </pre>
 *
 * <p>One timer waits for the next opening, closing or reset, but for no more than a minute: the time of day may have
 * been set meanwhile. The age of the store decides whether numbers begin with 1. So a time of day that is set back, and
 * comes to an opening for the second time, resets nothing again.
 *
 * <p>Owner of the loop only, except where a method says "any thread".
 */
final class SessionHours {
  private static final long LOOK_NANOS = TimeUnit.MINUTES.toNanos(1);
  /** Time zones may have got new rules. */
  private static final long TIMES_NANOS = TimeUnit.HOURS.toNanos(1);
  /** How long a store that could not begin anew is left alone. */
  private static final long STORE_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** Numbers that begin this far in the future were made while the time of day was wrong. */
  private static final long WRONG_TIME_NANOS = TimeUnit.DAYS.toNanos(1);

  private final FixEngine engine;
  private final EngineLoop home;
  private final SessionRunner runner;
  private final SessionSchedule schedule;
  private final WhileClosed whileClosed;
  private final @Nullable Reconnector reconnector;
  private final boolean isScheduled;
  private final Timer timer = new Timer(this::onTimer);
  /** What the schedule says of {@link #computedAt} and the time after it. */
  private ScheduleTimes times;
  private long computedAt;
  /** When the numbers began that a session of the last look should have. */
  private long numbersBegin;
  /** What happened to the store when it was opened; empty for nothing. */
  private String openingNotice = "";
  /** Messages in the store that were accepted while the window was closed; 0 for none. */
  private long firstUnsent;
  private long lastUnsent;
  /** Those were discarded by the reset of an old store. */
  private boolean areDiscarded;
  private @Nullable TradingHours hours;
  private @Nullable SessionProtocol protocol;
  /** For the status. Written and read by any thread. */
  private volatile @Nullable Known lastKnown;
  /** Sessions are open, and have the numbers of the trading session. Written by the owner, read by any thread. */
  private volatile boolean isOpen;

  SessionHours(FixEngine engine, EngineLoop home, SessionRunner runner, SessionSettings settings,
      @Nullable Reconnector reconnector) {
    this.engine = engine;
    this.home = home;
    this.runner = runner;
    this.schedule = settings.schedule();
    this.whileClosed = settings.whileClosed();
    this.reconnector = reconnector;
    this.isScheduled = !schedule.equals(SessionSchedule.nonStop());
    this.computedAt = engine.epochNanos();
    this.times = schedule.timesAt(computedAt, reconnector != null);
    this.numbersBegin = numbersBegin();
    this.isOpen = times.isOpen(computedAt);
  }

  // The thread that opens the session, before others see it.

  /**
   * Has the numbers of an earlier trading session begin anew.
   *
   * @throws IOException if the store does not take that
   */
  void takeStore(MessageStore store) throws IOException {
    if (isScheduled && whileClosed == WhileClosed.QUEUE) {
      findUntouched(store); // the times of messages say nothing after the time of day was set back
    }
    if (isScheduled && whileClosed != WhileClosed.REFUSE && firstUnsent == 0) {
      findUnsent(store);
    }
    resetIfOld(store);
    isOpen = isOpen && !isOfNextWindow(store);
  }

  /**
   * Returns true if the present window has ended before, and the time of day was set back into it. The store has the
   * numbers of the next trading session then, for queued messages: the counterparty does not expect them yet.
   */
  private boolean isOfNextWindow(MessageStore store) {
    return resetsAtEnd() && store.createdEpochNanos() >= times.close();
  }

  /**
   * Finds messages that an earlier process has accepted while the window was closed. They are the last ones in the
   * store: a logon would have taken a number after them.
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
   * Finds that all messages of a store were never sent: each number is one of a message, so there was no logon since
   * the numbers began. They may be queued messages of a schedule that was another one, or of a night long ago. A store
   * that had a logon is not read: a whole day may be in it.
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

  /** The session is made. */
  void attach(SessionProtocol made) {
    protocol = made;
    TradingHours mine = new TradingHours(made);
    hours = mine;
    if (!isOpen) {
      mine.beginClosed();
    }
    if (firstUnsent != 0 && !areDiscarded) {
      mine.unsentBefore(firstUnsent, lastUnsent);
      isOpen = isOpen && whileClosed != WhileClosed.EXPIRE; // the first look opens it when they have expired
    }
  }

  // Any thread.

  boolean isOpen() {
    return isOpen;
  }

  Instant now() {
    return instant(engine.epochNanos());
  }

  boolean isScheduled() {
    return isScheduled;
  }

  /** What the schedule says now. It is computed anew when it has changed, and once an hour for new rules of zones. */
  ScheduleStatus status() {
    Instant now = now();
    Known known = lastKnown;
    if (known == null || !known.isRightAt(now)) {
      known = Known.at(now, schedule);
      lastKnown = known;
    }
    return new ScheduleStatus(isOpen, known.nextOpen, known.nextClose, known.nextReset, known.text);
  }

  /** What a schedule says of an instant, and of the time after it until the first of its times. */
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

  /** The engine has the session. */
  void start() {
    TradingHours mine = hours;
    if (mine != null && !openingNotice.isEmpty()) {
      runner.touchTime();
      mine.notice(openingNotice);
    }
    if (mine != null && areDiscarded) {
      mine.discarded(firstUnsent, lastUnsent);
    }
    look();
    if (mine != null && !isOpen) {
      mine.notice(closedText());
    }
  }

  private void onTimer() {
    look();
    runner.pump();
  }

  /** The session is closed: a look that comes later does nothing, and sets no timer. */
  void stop() {
    home.loop().cancel(timer);
    protocol = null;
    hours = null;
  }

  /** Whether a later look is due. */
  boolean isWaiting() {
    return timer.isScheduled();
  }

  /** Why a Logon(A) is refused now; null if it is not. */
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

  /** Does what is due. After the end of each connection, too: what was due may have waited for it. */
  void look() {
    SessionProtocol session = protocol;
    TradingHours mine = hours;
    if (!isScheduled || session == null || mine == null) {
      return;
    }
    runner.touchTime();
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

  /** When the numbers began that the session should have. Queued messages have those of the next trading session. */
  private long numbersBegin() {
    return resetsAtEnd() ? times.lastEnd() : times.sessionStart();
  }

  private boolean resetsAtEnd() {
    return whileClosed == WhileClosed.QUEUE && schedule.resetsAtOpen();
  }

  /** Has the numbers of an earlier trading session begin anew; false if they have not done so yet. */
  private boolean reset(SessionProtocol session, TradingHours mine, long now) {
    long begin = numbersBegin();
    boolean isNew = begin > numbersBegin;
    numbersBegin = begin;
    long created = session.store().createdEpochNanos();
    if (created >= begin && !(isNew && created - now > WRONG_TIME_NANOS)) {
      return true;
    }
    if (schedule.resetsWithoutLogout() && mine.resetWithoutLogout()) {
      return true; // the numbers of now count until both ends have begun anew
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
    runner.opened();
  }

  private void schedule(long now, boolean isRetry) {
    long wait = Math.min(LOOK_NANOS, times.nextChange(now) - now);
    home.loop().schedule(timer, home.loop().nowNanos() + (isRetry ? Math.min(wait, STORE_RETRY_NANOS) : wait));
  }

  private static Instant instant(long epochNanos) {
    return Instant.ofEpochSecond(0, epochNanos);
  }
}
