package dev.decant.fix.session;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Counts logons that come to nothing, and tells of those in a row. Two ends whose sequence numbers do not fit together
 * log on and end the session for ever: both may take that for a network that fails, if nobody says what it is.
 *
 * <p>A logon has failed if its connection ends before it is complete. It has also failed if the counterparty ends the
 * connection within {@value #SOON_SECONDS} s, and has sent nothing but Logon(A) and Logout(5).
 *
 * <p>Owner of the session only.
 */
final class FailedLogons {
  private static final long SOON_SECONDS = 10;
  /** So many in a row are told in the log first, and then each time that their number has doubled. */
  private static final long FIRST_TOLD = 3;

  private final SessionProtocol session;
  private final SessionState state;
  private long inARow;
  private long nextTold = FIRST_TOLD;

  FailedLogons(SessionProtocol session, SessionState state) {
    this.session = session;
    this.state = state;
  }

  /** A connection ends; its state is still there. */
  void connectionEnds(String reason) {
    if (hasSucceeded()) {
      inARow = 0;
      nextTold = FIRST_TOLD;
      return;
    }
    if (state.isLeaving() && state.isOpened()) {
      return; // somebody here has logged out soon: that says nothing of the counterparty
    }
    inARow++;
    session.reporter().logonFailed(inARow, reason);
    if (inARow == nextTold) {
      nextTold *= 2;
      session.reporter().notice(inARow + " logons in a row have come to nothing: " + reason + advice(reason));
    }
  }

  private boolean hasSucceeded() {
    return state.isProven() || (state.isOpened()
        && session.time().nowNanos() - state.connectedNanos() >= TimeUnit.SECONDS.toNanos(SOON_SECONDS));
  }

  private String advice(String reason) {
    String numbers = "; the next numbers here are " + session.store().nextOutbound() + " out and "
        + session.store().nextInbound() + " in";
    if (session.resets().isWanted()) {
      return ". Sequence numbers were reset at this end, and the counterparty has not followed: have it reset its own,"
          + " too, or set the numbers of this end to those that it expects" + numbers;
    }
    String words = reason.toLowerCase(Locale.ROOT);
    return words.contains("seqnum") || words.contains("sequence")
        ? ". Compare the next numbers of both ends, and reset both, or set those of one" + numbers
        : "";
  }
}
