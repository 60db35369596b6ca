package dev.decant.opentelemetry;

import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.status.SessionCounts;
import dev.decant.fix.status.SessionStatus;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Observes how the sessions of an engine stand, and what they count. Unknown values are not recorded. */
final class SessionObserver {
  private static final AttributeKey<String> ENGINE = AttributeKey.stringKey("decant.fix.engine");
  private static final AttributeKey<String> SESSION = AttributeKey.stringKey("decant.fix.session");
  private static final String PREFIX = "decant.fix.";
  private static final double NANOS_PER_SECOND = 1e9;

  /** A counter or gauge of whole numbers; negative ones are unknown. */
  private record Whole(ObservableLongMeasurement measurement, ToLongFunction<SessionStatus> value) {}

  /** A gauge of a time. */
  private record Time(ObservableDoubleMeasurement measurement, Function<SessionStatus, @Nullable Duration> value) {}

  private final Meter meter;
  private final FixEngine engine;
  private final String name;
  private final List<Whole> wholes = new ArrayList<>();
  private final List<Time> times = new ArrayList<>();

  SessionObserver(Meter meter, FixEngine engine, String name) {
    this.meter = meter;
    this.engine = engine;
    this.name = name;
    gauge("up", "1", "1 while the session is logged on, else 0", s -> s.health().isUp() ? 1 : 0);
    gauge("open", "1", "1 while the schedule has the session open, else 0", s -> s.schedule().isOpen() ? 1 : 0);
    gauge("reset.pending", "1", "1 while numbers were reset at this end alone, else 0",
        s -> s.isResetPending() ? 1 : 0);
    gauge("next.outbound", "1", "Number of the next message to be sent", SessionStatus::nextOutbound);
    gauge("next.inbound", "1", "Number of the next message expected", SessionStatus::nextInbound);
    gauge("waiting.messages", "{message}", "Messages that the socket has not taken yet",
        SessionStatus::waitingMessages);
    gauge("waiting", "By", "Size of messages that the socket has not taken yet", SessionStatus::waitingBytes);
    gauge("store.used", "By", "What the store's messages take", s -> s.store().usedBytes());
    gauge("store.max", "By", "What the store can take now", s -> s.store().maxBytes());
    time("store.age", "Since the numbers began with 1", s -> ago(s.store().created()));
    time("received.ago", "Since something has arrived", s -> ago(s.lastReceived()));
    time("sent.ago", "Since a message was sent", s -> ago(s.lastSent()));
    time("round.trip", "From the last TestRequest with a response to that response", SessionStatus::roundTrip);
    counters();
  }

  private void counters() {
    counter("messages.received", "{message}", "Messages that have arrived, garbled ones too",
        SessionCounts::messagesReceived);
    counter("received", "By", "Size of messages that have arrived", SessionCounts::bytesReceived);
    counter("messages.sent", "{message}",
        "Messages that went to the socket, those of the session and those sent again included",
        SessionCounts::messagesSent);
    counter("sent", "By", "Size of messages that went to the socket", SessionCounts::bytesSent);
    counter("messages.resent", "{message}", "Messages that were sent again, gap fills included",
        SessionCounts::messagesResent);
    counter("logons", "{logon}", "Logons that were complete both ways", SessionCounts::logons);
    counter("logons.failed", "{logon}", "Logons that came to nothing", SessionCounts::logonsFailed);
    counter("disconnects", "{connection}", "Ends of connections", SessionCounts::disconnects);
    counter("garbled", "{message}", "Arrivals that were no messages", SessionCounts::garbled);
    counter("gaps", "{gap}", "Gaps found in the counterparty's numbers", SessionCounts::gaps);
    counter("resend.requests.sent", "{message}", "ResendRequests sent", SessionCounts::resendRequestsSent);
    counter("resend.requests.received", "{message}", "ResendRequests received", SessionCounts::resendRequestsReceived);
    counter("rejects.sent", "{message}", "Rejects and BusinessMessageRejects sent", SessionCounts::rejectsSent);
    counter("rejects.received", "{message}", "Rejects received", SessionCounts::rejectsReceived);
    counter("heartbeats.missed", "{heartbeat}", "TestRequests sent because nothing came",
        SessionCounts::heartbeatsMissed);
    counter("resets", "{reset}", "Resets of both numbers to 1", SessionCounts::resets);
    counter("slow", "{time}", "Reports of a counterparty that reads slowly", SessionCounts::slowReports);
    counter("let.through", "{message}", "Messages that break a rule and were let through", SessionCounts::tolerated);
    counter("store.failures", "{time}", "How often the store took nothing", SessionCounts::storeFailures);
  }

  private void gauge(String figure, String unit, String description, ToLongFunction<SessionStatus> value) {
    wholes.add(new Whole(meter.gaugeBuilder(PREFIX + figure).ofLongs().setUnit(unit).setDescription(description)
        .buildObserver(), value));
  }

  private void time(String figure, String description, Function<SessionStatus, @Nullable Duration> value) {
    times.add(new Time(meter.gaugeBuilder(PREFIX + figure).setUnit("s").setDescription(description).buildObserver(),
        value));
  }

  private void counter(String figure, String unit, String description, ToLongFunction<SessionCounts> value) {
    wholes.add(new Whole(meter.counterBuilder(PREFIX + figure).setUnit(unit).setDescription(description)
        .buildObserver(), status -> value.applyAsLong(status.counts())));
  }

  private static @Nullable Duration ago(@Nullable Instant then) {
    return then == null ? null : Duration.between(then, Instant.now());
  }

  List<ObservableMeasurement> measurements() {
    List<ObservableMeasurement> all = new ArrayList<>();
    wholes.forEach(whole -> all.add(whole.measurement));
    times.forEach(time -> all.add(time.measurement));
    return all;
  }

  void observe() {
    for (FixSession session : engine.sessions()) {
      SessionStatus status = session.status();
      Attributes attributes = Attributes.of(ENGINE, name, SESSION, session.id().toString());
      for (Whole whole : wholes) {
        long value = whole.value.applyAsLong(status);
        if (value >= 0) {
          whole.measurement.record(value, attributes);
        }
      }
      for (Time time : times) {
        Duration value = time.value.apply(status);
        if (value != null) {
          time.measurement.record(Math.max(0, value.toNanos() / NANOS_PER_SECOND), attributes);
        }
      }
    }
  }
}
