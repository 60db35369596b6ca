package dev.decant.fix.status;

import dev.decant.fix.settings.SessionId;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The status of a session at one moment. Its parts are read one after the other while the session continues, so two of
 * them may be a message apart.
 *
 * @param id the identity of the session
 * @param state the state of the session
 * @param isInitiator true if this end connects
 * @param loggedOnSince when the logon was complete; null while the session is not logged on
 * @param remoteAddress the other end of the connection; null without one
 * @param nextOutbound number of the next message to be sent
 * @param nextInbound number of the next message expected
 * @param waitingMessages messages that the socket has not taken yet
 * @param waitingBytes bytes of these messages
 * @param lastReceived when the last message arrived; null before the first
 * @param lastSent when the last message was sent; null before the first
 * @param roundTrip the time from the last answered TestRequest(1) to its response; null before the first
 * @param heartbeatInterval the interval of the Logon(A); the setting before the first. Zero for no heartbeats
 * @param schedule when the session is open, and when its numbers are reset
 * @param isResetPending true if numbers were reset at this end, and the counterparty has not followed yet
 * @param store the stored numbers and messages
 * @param counts the counters of the session
 * @param disconnectReason why the last connection, or the last attempt to connect, ended; null before the first
 */
public record SessionStatus(SessionId id, State state, boolean isInitiator, @Nullable Instant loggedOnSince,
    @Nullable InetSocketAddress remoteAddress, long nextOutbound, long nextInbound, long waitingMessages,
    long waitingBytes, @Nullable Instant lastReceived, @Nullable Instant lastSent, @Nullable Duration roundTrip,
    Duration heartbeatInterval, ScheduleStatus schedule, boolean isResetPending, StoreStatus store,
    SessionCounts counts, @Nullable String disconnectReason) {

  /** The state of a session. */
  public enum State {
    /** An operator has disabled the session: it does not connect, and refuses logons. */
    DISABLED,
    /** This end has logged out, and an initiator does not connect. */
    LOGGED_OUT,
    /** The session has no connection, and waits for one or tries to connect. */
    DISCONNECTED,
    /** The session has a connection, and the logon is not complete. */
    LOGGING_ON,
    /** The session is logged on in both directions. */
    LOGGED_ON,
    /** A logout is in progress. */
    LOGGING_OUT
  }

  /**
   * Returns the health of the session, which is up while it is logged on. A session that its schedule has closed is
   * down as intended; see {@link ScheduleStatus#isOpen}.
   *
   * @return up or down, with the reason
   */
  public SessionHealth health() {
    return switch (state) {
      case LOGGED_ON -> new SessionHealth(true, "logged on");
      case DISABLED -> new SessionHealth(false, "disabled by an operator");
      case LOGGED_OUT -> new SessionHealth(false, "logged out by this end");
      case LOGGING_ON -> new SessionHealth(false, "connected, the logon is not complete" + reset());
      case LOGGING_OUT -> new SessionHealth(false, "a logout is under way");
      case DISCONNECTED -> new SessionHealth(false, disconnected());
    };
  }

  private String disconnected() {
    if (!schedule.isOpen()) {
      return "closed by its schedule" + (schedule.nextOpen() == null ? "" : "; opens at " + schedule.nextOpen());
    }
    String waits = (isInitiator ? "not connected" : "the counterparty is not connected") + reset();
    return disconnectReason == null ? waits : waits + "; the last end: " + disconnectReason;
  }

  private String reset() {
    return isResetPending ? "; numbers were reset at this end, and the counterparty has not followed yet" : "";
  }
}
