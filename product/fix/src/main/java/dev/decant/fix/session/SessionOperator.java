package dev.decant.fix.session;

import java.time.Duration;

/**
 * What an operator asks of a session while it runs, beside its logon and logout. Owner of the session only, unless a
 * method says otherwise.
 */
public final class SessionOperator {
  /** In place of a time: the connection ended before a response came. */
  public static final long NO_ANSWER = -1;

  /** Hears of the response to a TestRequest(1). */
  @FunctionalInterface
  public interface Answer {
    /**
     * The Heartbeat(0) is there, or none will come.
     *
     * @param nanos from the request to its response; {@link #NO_ANSWER} if the connection ended before
     */
    void onAnswer(long nanos);
  }

  private final SessionProtocol session;
  private final SessionState state;

  SessionOperator(SessionProtocol session, SessionState state) {
    this.session = session;
    this.state = state;
  }

  /**
   * Sets the number of the next message to be sent.
   *
   * @param number at least 1
   * @return false if the store does not take that now
   */
  public boolean setNextOutbound(long number) {
    return session.store().setNextOutbound(number, session.time().epochNanos()) || refused();
  }

  /**
   * Sets the number of the next message expected.
   *
   * @param number at least 1
   * @return false if the store does not take that now
   */
  public boolean setNextInbound(long number) {
    return session.store().setNextInbound(number, session.time().epochNanos()) || refused();
  }

  private boolean refused() {
    session.reporter().storeFailed(session.store().failure());
    return false;
  }

  /**
   * Sends a TestRequest(1) now.
   *
   * @param answer hears of its response
   * @return false if the session is not logged on: nothing is sent
   */
  public boolean testRequest(Answer answer) {
    if (!session.isLoggedOn()) {
      return false;
    }
    session.heartbeats().testRequests().send(answer);
    return true;
  }

  /**
   * Sends messages again as if the counterparty had sent a ResendRequest(2): with PossDupFlag(43), and gap fills for
   * what is not kept. Messages that threads send meanwhile follow.
   *
   * @param from the first number, at least 1
   * @return the last number that is sent again; 0 if the session is not logged on, or has sent no such number
   */
  public long resend(long from) {
    if (!state.isLoggedOn() || from >= session.store().nextOutbound()) {
      return 0;
    }
    long last = session.out().hold();
    if (from > last) {
      session.releaseHeld();
      return 0;
    }
    session.resender().begin(from, last);
    return last;
  }

  /**
   * Tells whether messages are being sent again.
   *
   * @return true until the last of them is in the output
   */
  public boolean isResending() {
    return session.resender().isActive();
  }

  /**
   * Tells log and listeners that the counterparty reads slowly.
   *
   * @param waitingBytes how much waits for the socket now
   * @param since how long the output has not been empty
   */
  public void tellSlow(long waitingBytes, Duration since) {
    session.reporter().slow(waitingBytes, since);
  }

  /**
   * What the session counts. Any thread.
   *
   * @return the counters
   */
  public SessionCounters counters() {
    return session.reporter().counters();
  }

  /**
   * What waits for the socket. Any thread.
   *
   * @return the counters
   */
  public OutputCounters output() {
    return session.out().counters();
  }
}
