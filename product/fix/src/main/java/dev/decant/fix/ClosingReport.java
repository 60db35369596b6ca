package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import java.time.Instant;
import java.util.List;

/**
 * The result of {@link FixEngine#close(java.time.Duration)}, session by session.
 *
 * @param sessions the sessions of the engine
 */
public record ClosingReport(List<Session> sessions) {
  /**
   * The final state of one session.
   *
   * @param id the session
   * @param isLoggedOut false if the counterparty has not ended the session by the deadline
   * @param end why the connection has ended; "not connected" if there was none
   * @param nextOutbound the number of the next message to be sent: those below it are in the store
   * @param nextInbound the number of the next message expected
   * @param firstUnsent number of the first message that was accepted, and that no socket has received; 0 for none. The
   *     counterparty requests these messages after the next logon, if the store outlasts the process. Stored messages
   *     of an earlier process count only if they were sent while the window was closed
   * @param lastUnsent number of the last of these messages; 0 for none
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
   * Returns true if all messages were sent.
   *
   * @return true if all sessions were logged out, and the sockets received all accepted messages
   */
  public boolean isComplete() {
    return sessions.stream().allMatch(session -> session.isLoggedOut && session.firstUnsent == 0);
  }

  /** Returns one line per session. */
  @Override
  public String toString() {
    return String.join("\n", sessions.stream().map(Session::toString).toList());
  }
}
