package dev.decant.fix.session;

import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.Leniency;
import dev.decant.fix.session.SessionCounters.Counter;
import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports events of a session to the log and to listeners. Only rare events format a text; a message costs one copy
 * into the log. Owner of the session only.
 */
final class SessionReporter {
  private final SessionId id;
  private final MessageLog log;
  private final SessionEvents events;
  private final SessionTime time;
  private final boolean isLogged;
  private final SessionCounters counters = new SessionCounters();

  SessionReporter(SessionId id, MessageLog log, SessionEvents events, SessionTime time) {
    this.id = id;
    this.log = log;
    this.events = events;
    this.time = time;
    this.isLogged = !log.equals(MessageLog.none());
  }

  /** Returns the counters of the session. Any thread. */
  SessionCounters counters() {
    return counters;
  }

  void inbound(ByteBuffer buffer, int from, int to) {
    counters.received(to - from, time.nowNanos());
    log.inbound(id, time.epochNanos(), buffer, from, to);
  }

  /** Returns true if messages are logged at all. */
  boolean isLogged() {
    return isLogged;
  }

  void outbound(ByteBuffer buffer, int from, int to) {
    log.outbound(id, time.epochNanos(), buffer, from, to);
  }

  void logon(long heartbeatNanos) {
    counters.loggedOn(time.epochNanos(), heartbeatNanos);
    write("logged on");
    fire(events.logon.listeners(), SessionListener::onLogon);
  }

  void disconnect(String reason) {
    counters.disconnected();
    write("disconnected: " + reason);
    fire(events.disconnect.listeners(), (listener, session) -> listener.onDisconnect(session, reason));
  }

  /** Reports a failed logon to listeners. The log already has the reason, with the end of the connection. */
  void logonFailed(long inARow, String reason) {
    counters.add(Counter.LOGONS_FAILED);
    fire(events.logonFailed.listeners(), (listener, session) -> listener.onLogonFailed(session, inARow, reason));
  }

  void slow(long waitingBytes, Duration since) {
    counters.add(Counter.SLOW);
    fire(events.slowCounterparty.listeners(),
        (listener, session) -> listener.onSlowCounterparty(session, waitingBytes, since));
    notice("the counterparty reads slowly: " + waitingBytes + " bytes wait, since " + since.toMillis() + " ms");
  }

  void garbled(String reason) {
    counters.add(Counter.GARBLED);
    write("garbled bytes passed over: " + reason);
    fire(events.garbled.listeners(), (listener, session) -> listener.onGarbled(session, reason));
  }

  void gap(long expected, long received) {
    counters.add(Counter.GAPS);
    write("MsgSeqNum " + received + " is too high, " + expected + " is expected");
    fire(events.gap.listeners(), (listener, session) -> listener.onGap(session, expected, received));
  }

  void resendRequestSent(long from, long to) {
    counters.add(Counter.RESEND_REQUESTS_SENT);
    write("asked for " + from + " to " + (to == 0 ? "the last one" : to) + " again");
    fire(events.resendRequestSent.listeners(), (listener, session) -> listener.onResendRequestSent(session, from, to));
  }

  void resendRequestReceived(long from, long to) {
    counters.add(Counter.RESEND_REQUESTS_RECEIVED);
    write("asked to send " + from + " to " + to + " again");
    fire(events.resendRequestReceived.listeners(),
        (listener, session) -> listener.onResendRequestReceived(session, from, to));
  }

  void rejectSent(long number, String reason) {
    counters.add(Counter.REJECTS_SENT);
    write("rejected message " + number + ": " + reason);
    fire(events.rejectSent.listeners(), (listener, session) -> listener.onRejectSent(session, number, reason));
  }

  void rejectReceived(long number, String reason) {
    counters.add(Counter.REJECTS_RECEIVED);
    write("the counterparty rejected message " + number + ": " + reason);
    fire(events.rejectReceived.listeners(), (listener, session) -> listener.onRejectReceived(session, number, reason));
  }

  void heartbeatMissed() {
    counters.add(Counter.HEARTBEATS_MISSED);
    write("a heartbeat is missing, sent a TestRequest");
    fire(events.heartbeatMissed.listeners(), SessionListener::onHeartbeatMissed);
  }

  void reset() {
    counters.add(Counter.RESETS);
    write("sequence numbers begin with 1");
    fire(events.reset.listeners(), SessionListener::onReset);
  }

  /** Reports that accepted messages are discarded unsent; does nothing if there are none. */
  void discarded(UnsentMessages messages) {
    if (messages.isEmpty()) {
      return;
    }
    long from = messages.first();
    long to = messages.last();
    write("messages " + from + " to " + to + " were accepted, and are discarded unsent");
    fire(events.messagesDiscarded.listeners(), (listener, session) -> listener.onMessagesDiscarded(session, from, to));
  }

  void storeFailed(@Nullable Exception cause) {
    counters.add(Counter.STORE_FAILURES);
    Exception known = cause == null ? new IllegalStateException("the store gives no cause") : cause;
    write("the store takes nothing: " + known.getMessage());
    fire(events.storeFailed.listeners(), (listener, session) -> listener.onStoreFailed(session, known));
  }

  /**
   * Reports a message that breaks a relaxed rule.
   *
   * @param others how many more messages broke that rule since its last report
   */
  void tolerated(Leniency kind, long count, String example, long others) {
    write("let through " + kind.description() + ": " + example
        + (others > 0 ? ", and " + others + " messages since the last such line" : ""));
    fire(events.tolerated.listeners(), (listener, session) -> listener.onTolerated(session, kind, count, example));
  }

  void notice(String text) {
    write(text);
    fire(events.notice.listeners(), (listener, session) -> listener.onNotice(session, text));
  }

  private void write(String text) {
    log.event(id, time.epochNanos(), text);
  }

  private void fire(SessionListener @Nullable [] listeners, BiConsumer<SessionListener, SessionId> call) {
    if (listeners == null) {
      return;
    }
    for (SessionListener listener : listeners) {
      try {
        call.accept(listener, id);
      } catch (Throwable e) { // A defect of a listener must not affect the session.
        UserFailure.survive("a listener of session " + id + " failed", e);
      }
    }
  }
}
