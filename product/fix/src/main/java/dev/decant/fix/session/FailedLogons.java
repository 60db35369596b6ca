package dev.decant.fix.session;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Counts logons that fail in a row, and reports them with their cause. Two ends whose sequence numbers do not match log
 * on and end the session for ever. Without a report, each of them may take that for a network failure.
 *
 * <p>A logon has failed if its connection ends before the logon is complete. It has also failed if the counterparty
 * ends the connection within {@value #SOON_SECONDS} s and has sent nothing but Logon(A) and Logout(5).
 *
 * <p>Owner of the session only.
 */
final class FailedLogons {
  private static final long SOON_SECONDS = 10;
  /** How many failures in a row the first notice needs. Each further notice needs twice as many. */
  private static final long FIRST_REPORTED = 3;

  private final SessionProtocol session;
  private final SessionState state;
  /** Number of failures since the last success. */
  private long inARow;
  /** The number of failures at which the next notice is due. */
  private long nextReported = FIRST_REPORTED;

  FailedLogons(SessionProtocol session, SessionState state) {
    this.session = session;
    this.state = state;
  }

  /** Counts the end of a connection. Requires that the state of the connection is not cleared yet. */
  void connectionEnds(String reason) {
    if (hasSucceeded()) {
      inARow = 0;
      nextReported = FIRST_REPORTED;
      return;
    }
    if (state.isLeaving() && state.isOpened()) {
      return; // This end has logged out soon, which is no fault of the counterparty.
    }
    inARow++;
    session.reporter().logonFailed(inARow, reason);
    if (inARow == nextReported) {
      nextReported *= 2;
      session.reporter().notice(inARow + " logons in a row have come to nothing: " + reason + advice(reason));
    }
  }

  private boolean hasSucceeded() {
    return state.isEstablished() || (state.isOpened()
        && session.time().nowNanos() - state.connectedNanos() >= TimeUnit.SECONDS.toNanos(SOON_SECONDS));
  }

  private String advice(String reason) {
    String numbers = "; the next numbers here are " + session.store().nextOutbound() + " out and "
        + session.store().nextInbound() + " in";
    if (session.resets().isRequested()) {
      return ". Sequence numbers were reset at this end, and the counterparty has not followed: have it reset its own,"
          + " too, or set the numbers of this end to those that it expects" + numbers;
    }
    String words = reason.toLowerCase(Locale.ROOT);
    return words.contains("seqnum") || words.contains("sequence")
        ? ". Compare the next numbers of both ends, and reset both, or set those of one" + numbers
        : "";
  }
}
