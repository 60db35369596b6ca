package dev.decant.fix.session;

import java.time.Duration;

/**
 * Actions of an operator on an active session, beside logon and logout. Owner of the session only, unless a method says
 * otherwise.
 */
public final class SessionOperator {
  /** Stands for a time if the connection ended before the response. */
  public static final long NO_RESPONSE = -1;

  /** Receives the response to a TestRequest(1). */
  @FunctionalInterface
  public interface ResponseHandler {
    /**
     * Called once, when the Heartbeat(0) has arrived or none can arrive any longer.
     *
     * @param nanos time from the request to its response; {@link #NO_RESPONSE} if the connection ended before
     */
    void onResponse(long nanos);
  }

  private final SessionProtocol session;
  private final SessionState state;

  SessionOperator(SessionProtocol session, SessionState state) {
    this.session = session;
    this.state = state;
  }

  /** Sets the number of the next message to be sent, at least 1. Returns false if the store refuses it now. */
  public boolean setNextOutbound(long number) {
    if (!session.out().setNextOutbound(number)) {
      return refused();
    }
    session.reporter().discarded(session.out().takeDiscarded());
    return true;
  }

  /** Sets the number of the next message expected, at least 1. Returns false if the store refuses it now. */
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
   * @param handler receives the response
   * @return false if the session is not logged on: then nothing is sent
   */
  public boolean testRequest(ResponseHandler handler) {
    if (!session.isLoggedOn()) {
      return false;
    }
    session.heartbeats().testRequests().send(handler);
    return true;
  }

  /**
   * Resends messages as if the counterparty had sent a ResendRequest(2): with PossDupFlag(43), and gap fills for
   * messages that are not stored. Messages that threads send meanwhile follow.
   *
   * @param from the first number, at least 1
   * @return the last number that is resent; 0 if the session is not logged on, or has sent no such number
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

  /** Returns true until the last resent message is in the output. */
  public boolean isResending() {
    return session.resender().isActive();
  }

  /**
   * Reports to log and listeners that the counterparty reads slowly.
   *
   * @param waitingBytes bytes that wait for the socket now
   * @param since how long the output has not been empty
   */
  public void reportSlow(long waitingBytes, Duration since) {
    session.reporter().slow(waitingBytes, since);
  }

  /** Returns the counters of the session. Any thread. */
  public SessionCounters counters() {
    return session.reporter().counters();
  }

  /** Returns the counters of the output. Any thread. */
  public OutputCounters output() {
    return session.out().counters();
  }
}
