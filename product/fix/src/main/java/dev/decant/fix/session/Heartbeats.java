package dev.decant.fix.session;

import dev.decant.fix.message.MsgType;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.time.Timeouts;

/**
 * Runs the timed actions of a session. After one interval without output it sends a Heartbeat(0). After 1.5 intervals
 * without input it sends a TestRequest(1). After 2.4 intervals without input it ends the connection. It also ends
 * connections whose Logon(A) or Logout(5) does not arrive in time. Owner of the session only.
 *
 * <pre>
 *   last received   1.5            2.4 intervals
 *   |---------------|--------------|
 *                   TestRequest    end
 * </pre>
 */
final class Heartbeats {
  static final long NEVER = Long.MAX_VALUE;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final SessionProtocol session;
  private final SessionState state;
  private final SessionSettings settings;
  private final TestRequests testRequests;
  /** The heartbeat interval; 0 for no heartbeats. The Logon(A) sets it. */
  private long intervalNanos;

  Heartbeats(SessionProtocol session, SessionState state, SessionSettings settings) {
    this.session = session;
    this.state = state;
    this.settings = settings;
    this.testRequests = new TestRequests(session);
    this.intervalNanos = Timeouts.nanos(settings.heartbeatInterval());
  }

  TestRequests testRequests() {
    return testRequests;
  }

  void interval(long seconds) {
    intervalNanos = seconds * NANOS_PER_SECOND;
  }

  long intervalNanos() {
    return intervalNanos;
  }

  long intervalSeconds() {
    return intervalNanos / NANOS_PER_SECOND;
  }

  /** Runs the actions whose time has come. */
  void onTime(long nowNanos) {
    if (!state.isConnected()) {
      return;
    }
    if (state.isLogoutSent()) {
      if (nowNanos - logoutEnd() >= 0) {
        session.end("no Logout came within " + settings.logoutTimeout());
      }
    } else if (!state.isLogonReceived()) {
      if (nowNanos - logonEnd() >= 0) {
        session.end("no Logon came within " + settings.logonTimeout());
      }
    } else if (intervalNanos > 0) {
      beat(nowNanos);
    }
  }

  private void beat(long nowNanos) {
    if (nowNanos - silenceEnd() >= 0) {
      session.end("nothing came for 2.4 heartbeat intervals of " + intervalSeconds() + " s");
    } else if (nowNanos - testRequestDue() >= 0) {
      if (sendTestRequest()) {
        state.testRequestSent();
        session.reporter().heartbeatMissed();
      }
    } else if (nowNanos - heartbeatDue() >= 0) {
      sendHeartbeat();
    }
  }

  boolean sendHeartbeat() {
    session.out().beginAdmin();
    return session.sendAdmin(MsgType.HEARTBEAT);
  }

  boolean sendTestRequest() {
    return testRequests.send();
  }

  /** Returns the time at which {@link #onTime} has work next, if no message arrives and none is sent before. */
  long nextDeadline() {
    if (!state.isConnected()) {
      return NEVER;
    }
    if (state.isLogoutSent()) {
      return logoutEnd();
    }
    if (!state.isLogonReceived()) {
      return logonEnd();
    }
    if (intervalNanos == 0) {
      return NEVER;
    }
    return earlier(heartbeatDue(), earlier(testRequestDue(), silenceEnd()));
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  private long logoutEnd() {
    return state.logoutSentNanos() + Timeouts.nanos(settings.logoutTimeout());
  }

  private long logonEnd() {
    return state.connectedNanos() + Timeouts.nanos(settings.logonTimeout());
  }

  private long heartbeatDue() {
    return session.out().lastSentNanos() + intervalNanos;
  }

  private long testRequestDue() {
    return state.lastReceivedNanos() + (intervalNanos + intervalNanos / 2) * (state.testRequestsSent() + 1);
  }

  private long silenceEnd() {
    return state.lastReceivedNanos() + intervalNanos * 12 / 5;
  }
}
