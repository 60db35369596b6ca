package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import java.time.Instant;
import java.util.List;

/**
 * What {@link FixEngine#close(java.time.Duration)} leaves behind, session by session.
 *
 * @param sessions the sessions of the engine
 */
public record ClosingReport(List<Session> sessions) {
  /**
   * What is left of one session.
   *
   * @param id the session
   * @param isLoggedOut false if the counterparty has not ended the session by the deadline
   * @param end why the connection has ended; "not connected" if there was none
   * @param nextOutbound the number of the next message to be sent: those below it are in the store
   * @param nextInbound the number of the next message expected
   * @param firstUnsent number of the first message that was accepted, and that the socket was not given; 0 for none.
   *     The counterparty asks for such messages after the next logon, if the store outlasts the process. Messages of an
   *     earlier process, which its store has kept, count only if they were sent while the window was closed
   * @param lastUnsent the number of the last such message; 0 for none
   * @param storeCreated when the numbers began with 1
   */
  public record Session(SessionId id, boolean isLoggedOut, String end, long nextOutbound, long nextInbound,
      long firstUnsent, long lastUnsent, Instant storeCreated) {
    @Override
    public String toString() {
      return id + ": " + (isLoggedOut ? "" : "not logged out, ") + end + "; next numbers " + nextOutbound + " out and "
          + nextInbound + " in since " + storeCreated + "; "
          + (firstUnsent == 0 ? "nothing unsent" : "stored and unsent: " + firstUnsent + " to " + lastUnsent);
    }
  }

  /** Copies the list. */
  public ClosingReport {
    sessions = List.copyOf(sessions);
  }

  /**
   * Tells whether nothing is left to do.
   *
   * @return true if all sessions were logged out, and all accepted messages were given to their sockets
   */
  public boolean isComplete() {
    return sessions.stream().allMatch(session -> session.isLoggedOut && session.firstUnsent == 0);
  }

  /** A line for each session. */
  @Override
  public String toString() {
    return String.join("\n", sessions.stream().map(Session::toString).toList());
  }
}
