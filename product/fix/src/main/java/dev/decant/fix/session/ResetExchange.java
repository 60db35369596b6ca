package dev.decant.fix.session;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.time.Timeouts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Resets of both sequence numbers to 1 that this end wants: between two connections, after a logout, or within a
 * session that goes on. The counterparty has to follow, so the wish lasts until it has.
 *
 * <pre>
 *   wanted by                   this end                     counterparty
 *   an initiator                Logon 34=1 141=Y             Logon 34=1 141=Y
 *   an acceptor                                              Logon 34=57
 *                               Logon 34=1 141=Y             Logon 34=1 141=Y, or any message with 34=1
 *   either, without a logout    TestRequest                  Heartbeat
 *                               Logon 34=1 141=Y             Logon 34=1 141=Y, or any message with 34=1
 * </pre>
 *
 * <p>No message is taken from the TestRequest(1) on until both ends agree. Its response says that all messages before
 * it have arrived, so none is lost with its number if the connection ends meanwhile.
 *
 * <p>Messages that the counterparty has sent before it saw our Logon(A) have its old numbers. They count by these,
 * until something comes under number 1. The specification wants a Logon(A) there (FIX session layer, "Using
 * ResetSeqNumFlag(141) to set sequence numbers to 1"). Initiators of QuickFIX/J and Decant begin with number 1 without
 * one, when the flag comes in the response to their Logon(A).
 *
 * <p>Owner of the session only.
 */
public final class ResetExchange {
  /** The counterparty has this time to follow by itself; then it gets a TestRequest(1) to respond to. */
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Hears what has become of a reset without a logout. */
  @FunctionalInterface
  public interface Outcome {
    /**
     * It is over.
     *
     * @param failure why numbers do not begin with 1 at both ends; null if they do
     */
    void onOutcome(@Nullable String failure);
  }

  /** How far the present reset has come. */
  private enum Phase {
    /** None is under way. */
    NONE,
    /** A TestRequest(1) asks whether the counterparty has seen all that was sent. */
    ASKED,
    /** Our Logon(A) with the flag is sent. */
    SENT
  }

  private final SessionProtocol session;
  private final SessionState state;
  private final SessionSettings settings;
  private final List<Outcome> outcomes = new ArrayList<>();
  /** The next logon is to bring a reset at the counterparty. Written by the owner, read by any thread. */
  private volatile boolean isWanted;
  private Phase phase = Phase.NONE;
  private long deadlineNanos;
  /** When the TestRequest(1) of phase SENT is due, unless it was sent. */
  private long probeNanos;
  private boolean isProbed;
  private long expectedOfBefore;

  ResetExchange(SessionProtocol session, SessionState state, SessionSettings settings) {
    this.session = session;
    this.state = state;
    this.settings = settings;
  }

  // What the engine wants.

  /**
   * Begins with number 1 both ways. Without a connection only.
   *
   * @param announces whether the next logon tells the counterparty
   * @return false if the store does not take that now
   */
  public boolean resetNow(boolean announces) {
    boolean wasWanted = isWanted;
    if (announces) {
      want(); // before the reset: no message is taken between the two
    }
    boolean done = session.reset();
    if (!done && !wasWanted) {
      isWanted = false;
      session.out().discardsNumbers(settings.resetOnLogon());
    }
    return done;
  }

  /**
   * Logs out, and begins with number 1 then. An initiator does so with its next Logon(A), an acceptor at the end of the
   * connection. The next logon tells the counterparty.
   */
  public void logoutAndReset() {
    if (!state.isInitiator()) {
      session.resetAtEnd();
    }
    want();
    session.logout("sequence numbers are to be reset");
  }

  /**
   * Begins with number 1 both ways, and stays logged on.
   *
   * @param outcome hears what comes of it, once; during this call, too
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
        deadlineNanos = session.time().nowNanos() + patienceNanos();
        ask();
      }
    }
  }

  /**
   * Tells whether a reset without a logout has begun and has no outcome yet.
   *
   * @return true until numbers begin with 1 at both ends, or it has failed
   */
  public boolean isUnderWay() {
    return phase != Phase.NONE;
  }

  /**
   * Tells whether {@link #resetWithoutLogout} can begin.
   *
   * @return false while the session is not logged on, and before FIX.4.1
   */
  public boolean mayResetWithoutLogout() {
    return session.isLoggedOn() && hasResetFlag();
  }

  /**
   * Tells whether a version has ResetSeqNumFlag(141).
   *
   * @param id of the session
   * @return false before FIX.4.1
   */
  public static boolean hasResetFlag(SessionId id) {
    return id.beginString().compareTo("FIX.4.1") >= 0;
  }

  private boolean hasResetFlag() {
    return hasResetFlag(settings.id());
  }

  private long patienceNanos() {
    return Timeouts.nanos(settings.logonTimeout());
  }

  /**
   * Tells whether the next logon is to bring a reset at the counterparty. Any thread.
   *
   * @return true from the wish of this end until the counterparty has followed
   */
  public boolean isWanted() {
    return isWanted;
  }

  // What the exchange of logons and messages asks and tells.

  /** No message is numbered before the next logon: its number would be lost with the reset, and the message too. */
  private void want() {
    isWanted = true;
    session.out().discardsNumbers(true);
  }

  /** The Heartbeat(0) tells that the counterparty has all that was sent, and that nothing of it is missing here. */
  private void ask() {
    session.heartbeats().testRequests().send(nanos -> {
      if (phase == Phase.ASKED && nanos != SessionOperator.NO_ANSWER) {
        answered();
      }
    });
  }

  private void answered() {
    if (!session.isLoggedOn()) {
      end("the session logged out before; the sequence numbers go on");
      return;
    }
    if (session.resender().isActive()) {
      ask(); // messages that the counterparty has asked for go first, under their old numbers
      return;
    }
    long expected = session.lastProcessed() + 1;
    if (session.gap().hasSeen(expected)) {
      ask(); // messages behind this one wait, or are to be asked for: a reset would lose them
      return;
    }
    if (session.logons().sendReset()) {
      awaitFollower(expected);
    }
  }

  /** Our Logon(A) with the flag is sent, and the counterparty's messages have old numbers until it has seen that. */
  void awaitFollower(long expected) {
    long now = session.time().nowNanos();
    phase = Phase.SENT;
    deadlineNanos = now + patienceNanos();
    probeNanos = now + Math.min(PROBE_NANOS, patienceNanos() / 2);
    isProbed = false;
    state.resetSent(true);
    expectedOfBefore = expected;
    want(); // until it has followed: a Logout(5) or the end of the connection would open the gate to the store
  }

  /** The number of the next message of before, while {@link SessionState#isResetAwaited}. */
  long expectedOfBefore() {
    return expectedOfBefore;
  }

  void expectOfBefore(long number) {
    expectedOfBefore = number;
  }

  /** Something has come under number 1 while {@link SessionState#isResetAwaited}; false if the session has ended. */
  boolean followed() {
    state.resetSent(false);
    session.reporter().notice("the counterparty has reset its sequence numbers, too");
    agreed();
    if (!state.isOpened() && !state.isLogoutSent()) {
      session.loggedOn();
    }
    return state.isConnected();
  }

  /** Numbers begin with 1 at both ends. */
  void agreed() {
    isWanted = false;
    end(null);
    session.out().discardsNumbers(settings.resetOnLogon());
  }

  /** The connection has ended. A counterparty that has not followed is told by the next logon. */
  void ended(String reason) {
    if (phase == Phase.SENT) {
      want();
    }
    end("the connection ended before the counterparty had reset its sequence numbers: " + reason);
  }

  private void end(@Nullable String failure) {
    if (phase != Phase.NONE) {
      phase = Phase.NONE;
      session.resumeSending();
    }
    List<Outcome> told = List.copyOf(outcomes);
    outcomes.clear();
    told.forEach(outcome -> outcome.onOutcome(failure));
  }

  /** Does what is due. */
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

  /** When {@link #onTime} has something to do next. */
  long nextDeadline() {
    if (phase == Phase.NONE) {
      return Heartbeats.NEVER;
    }
    return phase == Phase.SENT && !isProbed ? probeNanos : deadlineNanos;
  }
}
