package dev.decant.fix.control;

import dev.decant.fix.status.ScheduleStatus;
import dev.decant.fix.status.SessionCounts;
import dev.decant.fix.status.SessionHealth;
import dev.decant.fix.status.SessionStatus;
import dev.decant.fix.status.StoreStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Formats a session's status as one line of JSON. Durations are in seconds or microseconds, as their names say. */
final class StatusLine {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICROSECOND = 1e3;

  private StatusLine() {}

  static String of(SessionStatus status, Instant now) {
    SessionHealth health = status.health();
    StoreStatus store = status.store();
    ScheduleStatus schedule = status.schedule();
    SessionCounts counts = status.counts();
    Duration roundTrip = status.roundTrip();
    return new JsonLine().put("session", status.id()).put("state", status.state()).put("up", health.isUp())
        .put("reason", health.reason()).put("initiator", status.isInitiator())
        .put("loggedOnSince", status.loggedOnSince()).put("remote", status.remoteAddress())
        .put("nextOutbound", status.nextOutbound()).put("nextInbound", status.nextInbound())
        .put("waitingMessages", status.waitingMessages()).put("waitingBytes", status.waitingBytes())
        .put("lastReceived", status.lastReceived()).put("receivedSecondsAgo", ago(status.lastReceived(), now))
        .put("lastSent", status.lastSent()).put("sentSecondsAgo", ago(status.lastSent(), now))
        .put("roundTripMicros", roundTrip == null ? null : roundTrip.toNanos() / NANOS_PER_MICROSECOND)
        .put("heartbeatSeconds", status.heartbeatInterval().toSeconds()).put("open", schedule.isOpen())
        .put("nextOpen", schedule.nextOpen()).put("nextClose", schedule.nextClose())
        .put("nextReset", schedule.nextReset()).put("schedule", schedule.text())
        .put("resetPending", status.isResetPending()).put("store", store.kind())
        .put("storeCreated", store.created()).put("storeUsedBytes", store.usedBytes())
        .put("storeMaxBytes", store.maxBytes()).put("messagesReceived", counts.messagesReceived())
        .put("bytesReceived", counts.bytesReceived()).put("messagesSent", counts.messagesSent())
        .put("bytesSent", counts.bytesSent()).put("messagesResent", counts.messagesResent())
        .put("logons", counts.logons()).put("logonsFailed", counts.logonsFailed())
        .put("disconnects", counts.disconnects()).put("garbled", counts.garbled()).put("gaps", counts.gaps())
        .put("resendRequestsSent", counts.resendRequestsSent())
        .put("resendRequestsReceived", counts.resendRequestsReceived()).put("rejectsSent", counts.rejectsSent())
        .put("rejectsReceived", counts.rejectsReceived()).put("heartbeatsMissed", counts.heartbeatsMissed())
        .put("resets", counts.resets()).put("slow", counts.slowReports()).put("storeFailures", counts.storeFailures())
        .put("letThrough", counts.tolerated()).put("lastEnd", status.disconnectReason()).toString();
  }

  private static @Nullable Double ago(@Nullable Instant then, Instant now) {
    return then == null ? null : Math.max(0, Duration.between(then, now).toNanos() / NANOS_PER_SECOND);
  }
}
