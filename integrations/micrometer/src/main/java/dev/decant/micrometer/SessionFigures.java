package dev.decant.micrometer;

import dev.decant.fix.FixSession;
import dev.decant.fix.status.SessionCounts;
import dev.decant.fix.status.SessionStatus;
import dev.decant.time.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import java.time.Duration;
import java.time.Instant;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The meters of one session. */
final class SessionFigures {
  private static final String PREFIX = "decant.fix.";
  private static final double NANOS_PER_SECOND = 1e9;

  private final Meters meters;
  private final Recent<SessionStatus> status;

  SessionFigures(FixSession session, Meters meters) {
    this.meters = meters;
    status = new Recent<>(session::status, Clock.system());
  }

  void make() {
    gauge("up", "1 while the session is logged on, else 0", null, s -> s.health().isUp() ? 1 : 0);
    gauge("open", "1 while the schedule has the session open, else 0", null, s -> s.schedule().isOpen() ? 1 : 0);
    gauge("reset.pending", "1 while numbers were reset at this end alone, else 0", null,
        s -> s.isResetPending() ? 1 : 0);
    gauge("next.outbound", "Number of the next message to be sent", null, SessionStatus::nextOutbound);
    gauge("next.inbound", "Number of the next message expected", null, SessionStatus::nextInbound);
    gauge("waiting.messages", "Messages that the socket has not taken yet", null, SessionStatus::waitingMessages);
    gauge("waiting", "Size of messages that the socket has not taken yet", "bytes", SessionStatus::waitingBytes);
    gauge("received.ago", "Since something has arrived; NaN before the first", "seconds", s -> ago(s.lastReceived()));
    gauge("sent.ago", "Since a message was sent; NaN before the first", "seconds", s -> ago(s.lastSent()));
    gauge("round.trip", "From the last TestRequest with a response to that response; NaN before the first", "seconds",
        s -> seconds(s.roundTrip()));
    gauge("store.used", "What the store's messages take; NaN if unknown", "bytes", s -> orNaN(s.store().usedBytes()));
    gauge("store.max", "What the store can take now; NaN if unknown", "bytes", s -> orNaN(s.store().maxBytes()));
    gauge("store.age", "Since the numbers began with 1", "seconds", s -> ago(s.store().created()));
    counter("messages.received", "Messages that have arrived, garbled ones too", null, SessionCounts::messagesReceived);
    counter("received", "Size of messages that have arrived", "bytes", SessionCounts::bytesReceived);
    counter("messages.sent", "Messages that went to the socket, those of the session and those sent again included",
        null, SessionCounts::messagesSent);
    counter("sent", "Size of messages that went to the socket", "bytes", SessionCounts::bytesSent);
    counter("messages.resent", "Messages that were sent again, gap fills included", null,
        SessionCounts::messagesResent);
    counter("logons", "Logons that were complete both ways", null, SessionCounts::logons);
    counter("logons.failed", "Logons that came to nothing", null, SessionCounts::logonsFailed);
    counter("disconnects", "Ends of connections", null, SessionCounts::disconnects);
    counter("garbled", "Arrivals that were no messages", null, SessionCounts::garbled);
    counter("gaps", "Gaps found in the counterparty's numbers", null, SessionCounts::gaps);
    counter("resend.requests.sent", "ResendRequests sent", null, SessionCounts::resendRequestsSent);
    counter("resend.requests.received", "ResendRequests received", null, SessionCounts::resendRequestsReceived);
    counter("rejects.sent", "Rejects and BusinessMessageRejects sent", null, SessionCounts::rejectsSent);
    counter("rejects.received", "Rejects received", null, SessionCounts::rejectsReceived);
    counter("heartbeats.missed", "TestRequests sent because nothing came", null, SessionCounts::heartbeatsMissed);
    counter("resets", "Resets of both numbers to 1", null, SessionCounts::resets);
    counter("slow", "Reports of a counterparty that reads slowly", null, SessionCounts::slowReports);
    counter("let.through", "Messages that break a rule and were let through", null, SessionCounts::tolerated);
    counter("store.failures", "How often the store took nothing", null, SessionCounts::storeFailures);
  }

  private static double ago(@Nullable Instant then) {
    return then == null ? Double.NaN : seconds(Duration.between(then, Instant.now()));
  }

  private static double seconds(@Nullable Duration duration) {
    return duration == null ? Double.NaN : Math.max(0, duration.toNanos() / NANOS_PER_SECOND);
  }

  private static double orNaN(long bytes) {
    return bytes < 0 ? Double.NaN : bytes;
  }

  private void gauge(String name, String description, @Nullable String unit, ToDoubleFunction<SessionStatus> value) {
    meters.make((registry, tags) -> Gauge.builder(PREFIX + name, () -> value.applyAsDouble(status.get()))
        .description(description).baseUnit(unit).tags(tags).register(registry));
  }

  /** The meter holds what it reads weakly, as Micrometer does it; its function holds it strongly. */
  private void counter(String name, String description, @Nullable String unit, ToLongFunction<SessionCounts> value) {
    meters.make((registry, tags) -> FunctionCounter
        .builder(PREFIX + name, this, figures -> value.applyAsLong(status.get().counts()))
        .description(description).baseUnit(unit).tags(tags).register(registry));
  }
}
