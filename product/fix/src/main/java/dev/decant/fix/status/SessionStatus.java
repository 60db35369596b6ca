package dev.decant.fix.status;

import dev.decant.fix.settings.SessionId;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a session stands at one moment. Its parts are read one after the other, while the session goes on: two of them
 * may be a message apart.
 *
 * @param id the two ends
 * @param state how far the session has come
 * @param isInitiator whether this end connects
 * @param loggedOnSince when the logon was complete; null while it is not
 * @param remoteAddress the other end of the connection; null without one
 * @param nextOutbound number of the next message to be sent
 * @param nextInbound number of the next message expected
 * @param waitingMessages messages that the socket has not taken yet
 * @param waitingBytes bytes of them
 * @param lastReceived when something has arrived last; null before the first
 * @param lastSent when a message was sent last; null before the first
 * @param roundTrip from the last TestRequest(1) with a response to that response; null before the first
 * @param heartbeatInterval as the Logon(A) has set it; the setting before the first. Zero for no heartbeats
 * @param schedule when the session is open, and when its numbers begin with 1
 * @param isResetPending whether numbers were reset at this end, and the counterparty has not followed yet
 * @param store numbers and messages that are kept
 * @param counts what the session has counted
 * @param lastEnd why the last connection, or the last attempt to connect, ended; null before the first
 */
public record SessionStatus(SessionId id, State state, boolean isInitiator, @Nullable Instant loggedOnSince,
    @Nullable InetSocketAddress remoteAddress, long nextOutbound, long nextInbound, long waitingMessages,
    long waitingBytes, @Nullable Instant lastReceived, @Nullable Instant lastSent, @Nullable Duration roundTrip,
    Duration heartbeatInterval, ScheduleStatus schedule, boolean isResetPending, StoreStatus store,
    SessionCounts counts, @Nullable String lastEnd) {

  /** How far a session has come. */
  public enum State {
    /** An operator has disabled it: it does not connect, and refuses logons. */
    DISABLED,
    /** It was logged out by this end, and an initiator does not connect. */
    LOGGED_OUT,
    /** It has no connection, and waits for one or tries to connect. */
    DISCONNECTED,
    /** It has a connection, and the logon is not complete. */
    LOGGING_ON,
    /** It is logged on both ways. */
    LOGGED_ON,
    /** A logout is under way. */
    LOGGING_OUT
  }

  /**
   * Judges the session: it is up while it is logged on. A session that its schedule has closed is down, and should be:
   * {@link ScheduleStatus#isOpen} tells that.
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
    return lastEnd == null ? waits : waits + "; the last end: " + lastEnd;
  }

  private String reset() {
    return isResetPending ? "; numbers were reset at this end, and the counterparty has not followed yet" : "";
  }
}
