package dev.decant.fix;

import dev.decant.fix.session.OutputCounters;
import dev.decant.fix.session.SessionCounters;
import dev.decant.fix.session.SessionCounters.Counter;
import dev.decant.fix.session.SessionOperator;
import dev.decant.fix.status.SessionCounts;
import dev.decant.fix.status.SessionStatus;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the status of a session. Any thread. It reads counters that the owner of the loop and senders maintain in any
 * case. It takes the session's lock twice, as a sender does, so it works while the loop is busy or stuck.
 */
final class StatusReader {
  private StatusReader() {}

  static SessionStatus read(SessionRunner runner) {
    SessionOperator operator = runner.protocol().operator();
    SessionCounters counters = operator.counters();
    OutputCounters output = operator.output();
    long heartbeat = counters.heartbeatNanos();
    long since = counters.loggedOnSinceEpochNanos();
    long roundTrip = counters.roundTripNanos();
    boolean hasLoggedOn = counters.count(Counter.LOGONS) > 0;
    SessionConnection connection = runner.connection();
    InetSocketAddress address = connection == null ? null : connection.remoteAddress();
    SessionStatus.State state = state(runner);
    return new SessionStatus(runner.id(), state, runner.isInitiator(),
        state != SessionStatus.State.LOGGED_ON || since == 0 ? null : instant(since), address, runner.nextOutbound(),
        runner.nextInbound(), output.waitingMessages(), output.waitingBytes(),
        counters.count(Counter.MESSAGES_IN) == 0 ? null : time(runner, counters.lastReceivedNanos()),
        output.sentMessages() == 0 ? null : time(runner, runner.protocol().out().lastSentNanos()),
        roundTrip < 0 ? null : Duration.ofNanos(roundTrip),
        hasLoggedOn ? Duration.ofNanos(heartbeat) : runner.settings().heartbeatInterval(),
        runner.hours().status(), runner.protocol().resets().isRequested(), runner.protocol().storeStatus(),
        counts(counters, output, runner.tolerated().total()), runner.disconnectReason());
  }

  private static SessionStatus.State state(SessionRunner runner) {
    boolean isConnected = runner.isConnected();
    if (runner.isLoggedOn()) {
      return SessionStatus.State.LOGGED_ON;
    }
    if (isConnected) {
      return runner.protocol().operator().counters().loggedOnSinceEpochNanos() == 0
          ? SessionStatus.State.LOGGING_ON
          : SessionStatus.State.LOGGING_OUT;
    }
    if (runner.actions().isDisabled()) {
      return SessionStatus.State.DISABLED;
    }
    return runner.isInitiator() && runner.isLogoutWanted()
        ? SessionStatus.State.LOGGED_OUT
        : SessionStatus.State.DISCONNECTED;
  }

  private static @Nullable Instant time(SessionRunner runner, long nanos) {
    return instant(runner.parts().clock().epochNanos(nanos));
  }

  private static Instant instant(long epochNanos) {
    long second = TimeUnit.SECONDS.toNanos(1);
    return Instant.ofEpochSecond(Math.floorDiv(epochNanos, second), Math.floorMod(epochNanos, second));
  }

  private static SessionCounts counts(SessionCounters counters, OutputCounters output, long tolerated) {
    return new SessionCounts(counters.count(Counter.MESSAGES_IN), counters.count(Counter.BYTES_IN),
        output.sentMessages(), output.sentBytes(), output.resentMessages(), counters.count(Counter.LOGONS),
        counters.count(Counter.LOGONS_FAILED), counters.count(Counter.DISCONNECTS), counters.count(Counter.GARBLED),
        counters.count(Counter.GAPS),
        counters.count(Counter.RESEND_REQUESTS_SENT), counters.count(Counter.RESEND_REQUESTS_RECEIVED),
        counters.count(Counter.REJECTS_SENT), counters.count(Counter.REJECTS_RECEIVED),
        counters.count(Counter.HEARTBEATS_MISSED), counters.count(Counter.RESETS),
        counters.count(Counter.SLOW), counters.count(Counter.STORE_FAILURES), tolerated);
  }
}
