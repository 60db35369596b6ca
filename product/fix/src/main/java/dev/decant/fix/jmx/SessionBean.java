package dev.decant.fix.jmx;

import dev.decant.fix.FixSession;
import dev.decant.fix.status.SessionCounts;
import dev.decant.fix.status.SessionStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The bean of a session. Any thread except the loop's. */
final class SessionBean implements FixSessionMXBean {
  private static final long OUTCOME_WAIT_SECONDS = 30;
  private static final double NANOS_PER_MICROSECOND = 1e3;

  private final FixSession session;

  SessionBean(FixSession session) {
    this.session = session;
  }

  private SessionStatus status() {
    return session.status();
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }

  @Override
  public String getId() {
    return session.id().toString();
  }

  @Override
  public String getState() {
    return status().state().name();
  }

  @Override
  public boolean isUp() {
    return status().health().isUp();
  }

  @Override
  public String getReason() {
    return status().health().reason();
  }

  @Override
  public String getLoggedOnSince() {
    return text(status().loggedOnSince());
  }

  @Override
  public String getRemoteAddress() {
    return text(status().remoteAddress());
  }

  @Override
  public long getNextOutbound() {
    return session.nextOutbound();
  }

  @Override
  public long getNextInbound() {
    return session.nextInbound();
  }

  @Override
  public long getWaitingMessages() {
    return status().waitingMessages();
  }

  @Override
  public long getWaitingBytes() {
    return status().waitingBytes();
  }

  @Override
  public String getLastReceived() {
    return text(status().lastReceived());
  }

  @Override
  public String getLastSent() {
    return text(status().lastSent());
  }

  @Override
  public double getRoundTripMicros() {
    Duration roundTrip = status().roundTrip();
    return roundTrip == null ? -1 : roundTrip.toNanos() / NANOS_PER_MICROSECOND;
  }

  @Override
  public long getHeartbeatSeconds() {
    return status().heartbeatInterval().toSeconds();
  }

  @Override
  public boolean isOpen() {
    return status().schedule().isOpen();
  }

  @Override
  public String getNextOpen() {
    return text(status().schedule().nextOpen());
  }

  @Override
  public String getNextClose() {
    return text(status().schedule().nextClose());
  }

  @Override
  public String getNextReset() {
    return text(status().schedule().nextReset());
  }

  @Override
  public String getSchedule() {
    return status().schedule().text();
  }

  @Override
  public boolean isResetPending() {
    return status().isResetPending();
  }

  @Override
  public String getStore() {
    return status().store().kind();
  }

  @Override
  public String getStoreCreated() {
    return status().store().created().toString();
  }

  @Override
  public long getStoreUsedBytes() {
    return status().store().usedBytes();
  }

  @Override
  public long getStoreMaxBytes() {
    return status().store().maxBytes();
  }

  @Override
  public Map<String, Long> getCounts() {
    SessionCounts counts = status().counts();
    Map<String, Long> named = new LinkedHashMap<>();
    named.put("messagesReceived", counts.messagesReceived());
    named.put("bytesReceived", counts.bytesReceived());
    named.put("messagesSent", counts.messagesSent());
    named.put("bytesSent", counts.bytesSent());
    named.put("messagesResent", counts.messagesResent());
    named.put("logons", counts.logons());
    named.put("logonsFailed", counts.logonsFailed());
    named.put("disconnects", counts.disconnects());
    named.put("garbled", counts.garbled());
    named.put("gaps", counts.gaps());
    named.put("resendRequestsSent", counts.resendRequestsSent());
    named.put("resendRequestsReceived", counts.resendRequestsReceived());
    named.put("rejectsSent", counts.rejectsSent());
    named.put("rejectsReceived", counts.rejectsReceived());
    named.put("heartbeatsMissed", counts.heartbeatsMissed());
    named.put("resets", counts.resets());
    named.put("slow", counts.slowReports());
    named.put("storeFailures", counts.storeFailures());
    named.put("letThrough", counts.tolerated());
    return named;
  }

  @Override
  public String logon() {
    return outcome(session.logon());
  }

  @Override
  public String logout(String text) {
    return outcome(session.logout(text(text)));
  }

  @Override
  public String disable(String text) {
    return outcome(session.disable(text(text)));
  }

  @Override
  public String enable() {
    return outcome(session.enable());
  }

  @Override
  public String resetSequenceNumbers() {
    return outcome(session.resetSequenceNumbers());
  }

  @Override
  public String resetWithoutLogout() {
    return outcome(session.resetWithoutLogout());
  }

  @Override
  public long changeNextOutbound(long number) {
    return outcome(session.setNextOutbound(number));
  }

  @Override
  public long changeNextInbound(long number) {
    return outcome(session.setNextInbound(number));
  }

  @Override
  public long resend(long from) {
    return outcome(session.resend(from));
  }

  @Override
  public long send(String fields) {
    return outcome(session.send(text(fields)));
  }

  @Override
  public double testRequest() {
    return outcome(session.testRequest()).toNanos() / NANOS_PER_MICROSECOND;
  }

  /**
   * Waits for an outcome. A JMX client may lack Decant's classes, so a failure becomes an exception of the JDK without
   * a cause.
   */
  private static <T> T outcome(CompletableFuture<T> outcome) {
    try {
      return outcome.get(OUTCOME_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(text(cause.getMessage() == null ? cause : cause.getMessage()));
    } catch (TimeoutException e) {
      throw new IllegalStateException("no outcome within " + OUTCOME_WAIT_SECONDS + " s; the action goes on");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted; the action goes on");
    }
  }
}
