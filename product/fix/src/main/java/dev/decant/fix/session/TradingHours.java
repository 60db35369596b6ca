package dev.decant.fix.session;

/** Applies the schedule to a session: opens and closes it, and resets its numbers. Owner of the session only. */
public final class TradingHours {
  private final SessionProtocol session;

  public TradingHours(SessionProtocol session) {
    this.session = session;
  }

  /** Starts a session whose window is closed. */
  public void beginClosed() {
    session.out().hours(false, false);
  }

  /**
   * Notes messages that an earlier process accepted while the window was closed, and did not send.
   *
   * @param first the first number
   * @param last the last number
   */
  public void unsentBefore(long first, long last) {
    session.out().unsentBefore(first, last);
  }

  /**
   * Reports messages that an earlier process accepted, and that the reset of the store has discarded.
   *
   * @param first the first number
   * @param last the last number
   */
  public void discarded(long first, long last) {
    UnsentMessages lost = new UnsentMessages();
    lost.addRange(first, last);
    session.reporter().discarded(lost);
  }

  /** Opens the window: messages of threads are accepted as the settings say. */
  public void open() {
    session.out().hours(true, session.isConnected());
  }

  /**
   * Closes the window: messages of threads are accepted as {@code whileClosed} says. A connection is logged out.
   *
   * @param text the reason, for the Logout(5) and the log
   */
  public void close(String text) {
    session.out().hours(false, session.isConnected());
    session.logout(text);
  }

  /**
   * Resets both numbers to 1: now, or after a logout at the end of the connection. If the store refuses that, the time
   * at which the numbers began stays as it was.
   *
   * @param announces true if the next Logon must tell the counterparty by ResetSeqNumFlag(141)
   * @param text the reason, for the Logout(5) and the log
   */
  public void reset(boolean announces, String text) {
    if (!session.isConnected()) {
      session.resets().resetNow(announces);
    } else if (announces) {
      session.resets().logoutAndReset(); // No message gets a number before the Logon that announces the reset.
    } else {
      session.resetAtEnd();
      session.logout(text);
    }
  }

  /**
   * Begins to reset both numbers to 1 while the session stays logged on. Returns false, and does nothing, if the
   * session is not logged on or its version has no such reset.
   */
  public boolean resetWithoutLogout() {
    ResetExchange resets = session.resets();
    if (resets.isUnderWay()) {
      return true;
    }
    if (!resets.mayResetWithoutLogout()) {
      return false;
    }
    resets.resetWithoutLogout(failure -> {
      if (failure != null) {
        session.reporter().notice("sequence numbers were not reset at their time: " + failure);
      }
    });
    return true;
  }

  /**
   * Discards the messages that were sent while the window was closed, and reports them. Requires that there is no
   * connection. Returns false if the store refuses that now.
   */
  public boolean expire() {
    UnsentMessages expired = new UnsentMessages();
    if (!session.out().expire(expired)) {
      session.reporter().storeFailed(session.store().failure());
      return false;
    }
    session.reporter().discarded(expired);
    return true;
  }

  /** Reports a text to log and listeners. */
  public void notice(String text) {
    session.reporter().notice(text);
  }
}
