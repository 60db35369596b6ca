package dev.decant.fix.session;

/** What the clock does to a session: its window opens and closes, and its numbers begin anew. Owner of the session. */
public final class TradingHours {
  private final SessionProtocol session;

  /**
   * Makes the hours of a session.
   *
   * @param session the session
   */
  public TradingHours(SessionProtocol session) {
    this.session = session;
  }

  /** The session is made while the window is closed. */
  public void beginClosed() {
    session.out().hours(false, false);
  }

  /**
   * An earlier process has accepted messages while the window was closed, and has not sent them.
   *
   * @param first the first number
   * @param last the last number
   */
  public void unsentBefore(long first, long last) {
    session.out().unsentBefore(first, last);
  }

  /**
   * Tells listeners of messages that an earlier process has accepted, and that the reset of the store has discarded.
   *
   * @param first the first number
   * @param last the last number
   */
  public void discarded(long first, long last) {
    UnsentMessages lost = new UnsentMessages();
    lost.addRange(first, last);
    session.reporter().discarded(lost);
  }

  /** The window is open: what threads send is taken as the settings say. */
  public void open() {
    session.out().hours(true, session.isConnected());
  }

  /**
   * The window is closed: what threads send is taken as {@code whileClosed} says. A connection is logged out.
   *
   * @param text why, for the Logout(5) and the log
   */
  public void close(String text) {
    session.out().hours(false, session.isConnected());
    session.logout(text);
  }

  /**
   * Has numbers begin with 1: now, or at the end of the connection, which is logged out. A store that does not take it
   * leaves the time at which they began as it is.
   *
   * @param announces whether the next logon tells the counterparty by ResetSeqNumFlag(141)
   * @param text why, for the Logout(5) and the log
   */
  public void reset(boolean announces, String text) {
    if (!session.isConnected()) {
      session.resets().resetNow(announces);
    } else if (announces) {
      session.resets().logoutAndReset(); // no number is given before the Logon that announces it
    } else {
      session.resetAtEnd();
      session.logout(text);
    }
  }

  /**
   * Has numbers begin with 1, and stays logged on; done later.
   *
   * @return false if the session is not logged on, or its version has no such reset: nothing is done
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
   * Gives up the messages that were sent while the window was closed, and tells listeners. Without a connection only.
   *
   * @return false if the store does not take that now
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

  /**
   * Tells log and listeners of something.
   *
   * @param text what
   */
  public void notice(String text) {
    session.reporter().notice(text);
  }
}
