package dev.decant.fix.session;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.time.Timeouts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Resets both sequence numbers to 1 when this end requests it: between two connections, after a logout, or within a
 * session that stays logged on. The request stays pending until the counterparty has reset its numbers, too.
 *
 * <pre>
 *   requested by                this end                     counterparty
 *   an initiator                Logon 34=1 141=Y             Logon 34=1 141=Y
 *   an acceptor                                              Logon 34=57
 *                               Logon 34=1 141=Y             Logon 34=1 141=Y, or any message with 34=1
 *   either, without a logout    TestRequest                  Heartbeat
 *                               Logon 34=1 141=Y             Logon 34=1 141=Y, or any message with 34=1
 * </pre>
 *
 * <p>From the TestRequest(1) until both ends agree, {@code send} accepts no message. The Heartbeat(0) confirms that all
 * earlier messages have arrived, so the reset loses none if the connection ends meanwhile. Messages accepted behind the
 * Logon(A) were lost that way: both ends began with 1 again, and no one reported them.
 *
 * <p>The counterparty numbers messages by its old numbers until it receives our Logon(A). These are checked against the
 * old numbers until a message with number 1 arrives. The specification requires a Logon(A) there (FIX session layer,
 * "Using ResetSeqNumFlag(141) to set sequence numbers to 1"). Initiators of QuickFIX/J and Decant send none if the flag
 * came in the response to their Logon(A), so any message with number 1 is accepted.
 *
 * <p>Owner of the session only.
 */
public final class ResetExchange {
  /**
   * How long the counterparty may take to send a message with number 1 by itself. Then a TestRequest(1) asks for one,
   * since the specification requires no message at this point.
   */
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Receives the result of a reset without a logout. */
  @FunctionalInterface
  public interface Outcome {
    /**
     * Called once, when the reset has succeeded or failed.
     *
     * @param failure why numbers do not begin with 1 at both ends; null if they do
     */
    void onOutcome(@Nullable String failure);
  }

  /** The phases of a reset within a session. */
  private enum Phase {
    /** No reset is in progress. */
    NONE,
    /** A TestRequest(1) is sent: it asks if the counterparty has received all earlier messages. */
    ASKED,
    /** Our Logon(A) with ResetSeqNumFlag(141) is sent. */
    SENT
  }

  private final SessionProtocol session;
  private final SessionState state;
  private final SessionSettings settings;
  private final List<Outcome> outcomes = new ArrayList<>();
  /**
   * True while the next Logon must make the counterparty reset its numbers. Written by the owner, read by any thread.
   */
  private volatile boolean isRequested;
  private Phase phase = Phase.NONE;
  /** When the present phase fails, in nanoseconds of the monotonic clock. */
  private long deadlineNanos;
  /** When the TestRequest(1) of phase SENT is due, in nanoseconds of the monotonic clock. */
  private long probeNanos;
  /** True if the TestRequest(1) of phase SENT was sent. */
  private boolean isProbed;
  /** The next old number of the counterparty, while its reset is awaited. */
  private long expectedBeforeReset;

  ResetExchange(SessionProtocol session, SessionState state, SessionSettings settings) {
    this.session = session;
    this.state = state;
    this.settings = settings;
  }

  // Requests of the engine.

  /**
   * Resets both numbers to 1. Requires that there is no connection. Returns false if the store refuses that now.
   *
   * @param announces true if the next Logon must make the counterparty reset its numbers, too
   */
  public boolean resetNow(boolean announces) {
    boolean wasPending = isRequested;
    if (announces) {
      request(); // The gate is closed before the reset, so that no message gets a number between the two steps.
    }
    boolean done = session.reset();
    if (!done && !wasPending) {
      isRequested = false;
      session.out().discardsNumbers(settings.resetOnLogon());
    }
    return done;
  }

  /**
   * Logs out, then resets both numbers to 1. An initiator resets with its next Logon(A), an acceptor at the end of the
   * connection. The next Logon makes the counterparty follow.
   */
  public void logoutAndReset() {
    if (!state.isInitiator()) {
      session.resetAtEnd();
    }
    request();
    session.logout("sequence numbers are to be reset");
  }

  /**
   * Resets both numbers to 1 and keeps the session logged on.
   *
   * @param outcome receives the result once, possibly during this call
   */
  public void resetWithoutLogout(Outcome outcome) {
    if (!session.isLoggedOn()) {
      outcome.onOutcome(settings.id() + " is not logged on");
    } else if (!hasResetFlag()) {
      outcome.onOutcome("FIX.4.0 has no ResetSeqNumFlag(141); reset with a logout instead");
    } else {
      outcomes.add(outcome);
      if (phase == Phase.NONE) {
        phase = Phase.ASKED;
        session.out().pause();
        deadlineNanos = session.time().nowNanos() + timeoutNanos();
        ask();
      }
    }
  }

  /** Returns true while a reset without a logout has no result yet. */
  public boolean isUnderWay() {
    return phase != Phase.NONE;
  }

  /**
   * Returns true if {@link #resetWithoutLogout} can begin: the session is logged on, and its version is not FIX.4.0.
   */
  public boolean mayResetWithoutLogout() {
    return session.isLoggedOn() && hasResetFlag();
  }

  /** Returns true if the version of the session has ResetSeqNumFlag(141): FIX.4.1 and later. */
  public static boolean hasResetFlag(SessionId id) {
    return id.beginString().compareTo("FIX.4.1") >= 0;
  }

  private boolean hasResetFlag() {
    return hasResetFlag(settings.id());
  }

  private long timeoutNanos() {
    return Timeouts.nanos(settings.logonTimeout());
  }

  /** Returns true from a request of this end until the counterparty has followed. Any thread. */
  public boolean isRequested() {
    return isRequested;
  }

  // Calls of the exchange of logons and messages.

  /**
   * Makes the next Logon reset the numbers, and closes the gate to the store until then. A message that got a number
   * before that Logon would be lost with it.
   */
  private void request() {
    isRequested = true;
    session.out().discardsNumbers(true);
  }

  /**
   * Sends a TestRequest(1). Its Heartbeat(0) confirms that the counterparty has received all earlier messages, and that
   * this end has received those of the counterparty.
   */
  private void ask() {
    session.heartbeats().testRequests().send(nanos -> {
      if (phase == Phase.ASKED && nanos != SessionOperator.NO_RESPONSE) {
        confirmed();
      }
    });
  }

  private void confirmed() {
    if (!session.isLoggedOn()) {
      end("the session logged out before; the sequence numbers go on");
      return;
    }
    if (session.resender().isActive()) {
      ask(); // Messages that the counterparty has requested go first, under their old numbers.
      return;
    }
    long expected = session.lastProcessed() + 1;
    if (session.gap().hasSeen(expected)) {
      // Later messages wait in the queue or are still missing. The counterparty takes them for delivered, so a reset
      // now would lose them.
      ask();
      return;
    }
    if (session.logons().sendReset()) {
      awaitFollower(expected);
    }
  }

  /**
   * Waits for the counterparty to follow our Logon(A) with the flag. Its messages have old numbers until it receives
   * that.
   */
  void awaitFollower(long expected) {
    long now = session.time().nowNanos();
    phase = Phase.SENT;
    deadlineNanos = now + timeoutNanos();
    probeNanos = now + Math.min(PROBE_NANOS, timeoutNanos() / 2);
    isProbed = false;
    state.resetSent(true);
    expectedBeforeReset = expected;
    // The gate to the store stays shut until the counterparty has followed. A Logout(5) or the end of the connection
    // opened it once, and the next reset discarded what threads had sent.
    request();
  }

  /** Returns the next old number of the counterparty, while {@link SessionState#isResetAwaited}. */
  long expectedBeforeReset() {
    return expectedBeforeReset;
  }

  void expectBeforeReset(long number) {
    expectedBeforeReset = number;
  }

  /**
   * Ends the wait for the counterparty, because a message with number 1 has arrived. Returns false if the session has
   * ended.
   */
  boolean followed() {
    state.resetSent(false);
    session.reporter().notice("the counterparty has reset its sequence numbers, too");
    agreed();
    if (!state.isOpened() && !state.isLogoutSent()) {
      session.loggedOn();
    }
    return state.isConnected();
  }

  /** Completes the reset: numbers begin with 1 at both ends. */
  void agreed() {
    isRequested = false;
    end(null);
    session.out().discardsNumbers(settings.resetOnLogon());
  }

  /** Ends the exchange with its connection. If the counterparty has not followed, the next Logon makes it do so. */
  void ended(String reason) {
    if (phase == Phase.SENT) {
      request();
    }
    end("the connection ended before the counterparty had reset its sequence numbers: " + reason);
  }

  private void end(@Nullable String failure) {
    if (phase != Phase.NONE) {
      phase = Phase.NONE;
      session.resumeSending();
    }
    List<Outcome> completed = List.copyOf(outcomes);
    outcomes.clear();
    completed.forEach(outcome -> outcome.onOutcome(failure));
  }

  /** Runs the actions whose time has come. */
  void onTime(long nowNanos) {
    if (phase == Phase.NONE || !state.isConnected()) {
      return;
    }
    if (nowNanos - deadlineNanos >= 0) {
      expire();
    } else if (phase == Phase.SENT && !isProbed && nowNanos - probeNanos >= 0) {
      isProbed = true;
      boolean unused = session.heartbeats().sendTestRequest();
    }
  }

  private void expire() {
    if (phase == Phase.ASKED) {
      end("no Heartbeat came within " + settings.logonTimeout() + "; the sequence numbers go on");
      return;
    }
    String text = "no message with MsgSeqNum 1 came within " + settings.logonTimeout() + " after ResetSeqNumFlag=Y";
    session.sendLogout(text);
    session.end(text);
  }

  /** Returns the time at which {@link #onTime} has work next. */
  long nextDeadline() {
    if (phase == Phase.NONE) {
      return Heartbeats.NEVER;
    }
    return phase == Phase.SENT && !isProbed ? probeNanos : deadlineNanos;
  }
}
