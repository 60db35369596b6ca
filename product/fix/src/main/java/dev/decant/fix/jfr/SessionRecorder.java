package dev.decant.fix.jfr;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.settings.SessionId;
import java.net.InetSocketAddress;
import java.time.Duration;
import jdk.jfr.EventType;

/** Records events of sessions. Owner of the engine's loop only. */
final class SessionRecorder implements SessionListener {
  private static final EventType LOGGED_ON = EventType.getEventType(LoggedOnEvent.class);
  private static final EventType DISCONNECTED = EventType.getEventType(DisconnectedEvent.class);
  private static final EventType RESET = EventType.getEventType(NumbersResetEvent.class);
  private static final EventType GAP = EventType.getEventType(GapFoundEvent.class);
  private static final EventType HEARTBEAT = EventType.getEventType(HeartbeatMissedEvent.class);
  private static final EventType REJECT_SENT = EventType.getEventType(RejectSentEvent.class);
  private static final EventType REJECT_RECEIVED = EventType.getEventType(RejectReceivedEvent.class);
  private static final EventType STORE = EventType.getEventType(StoreFailedEvent.class);
  private static final EventType SLOW = EventType.getEventType(SlowCounterpartyEvent.class);
  private static final EventType LOGON_FAILED = EventType.getEventType(LogonFailedEvent.class);
  private static final EventType DISCARDED = EventType.getEventType(MessagesDiscardedEvent.class);
  private static final EventType REFUSED = EventType.getEventType(ConnectionRefusedEvent.class);

  @Override
  public void onLogon(SessionId session) {
    if (LOGGED_ON.isEnabled()) {
      new LoggedOnEvent(session.toString()).commit();
    }
  }

  @Override
  public void onDisconnect(SessionId session, String reason) {
    if (DISCONNECTED.isEnabled()) {
      new DisconnectedEvent(session.toString(), reason).commit();
    }
  }

  @Override
  public void onReset(SessionId session) {
    if (RESET.isEnabled()) {
      new NumbersResetEvent(session.toString()).commit();
    }
  }

  @Override
  public void onGap(SessionId session, long expected, long received) {
    if (GAP.isEnabled()) {
      new GapFoundEvent(session.toString(), expected, received).commit();
    }
  }

  @Override
  public void onHeartbeatMissed(SessionId session) {
    if (HEARTBEAT.isEnabled()) {
      new HeartbeatMissedEvent(session.toString()).commit();
    }
  }

  @Override
  public void onRejectSent(SessionId session, long number, String reason) {
    if (REJECT_SENT.isEnabled()) {
      new RejectSentEvent(session.toString(), number, reason).commit();
    }
  }

  @Override
  public void onRejectReceived(SessionId session, long number, String reason) {
    if (REJECT_RECEIVED.isEnabled()) {
      new RejectReceivedEvent(session.toString(), number, reason).commit();
    }
  }

  @Override
  public void onStoreFailed(SessionId session, Exception cause) {
    if (STORE.isEnabled()) {
      new StoreFailedEvent(session.toString(), String.valueOf(cause.getMessage())).commit();
    }
  }

  @Override
  public void onSlowCounterparty(SessionId session, long waitingBytes, Duration since) {
    if (SLOW.isEnabled()) {
      new SlowCounterpartyEvent(session.toString(), waitingBytes, since.toNanos()).commit();
    }
  }

  @Override
  public void onLogonFailed(SessionId session, long inARow, String reason) {
    if (LOGON_FAILED.isEnabled()) {
      new LogonFailedEvent(session.toString(), inARow, reason).commit();
    }
  }

  @Override
  public void onMessagesDiscarded(SessionId session, long from, long to) {
    if (DISCARDED.isEnabled()) {
      new MessagesDiscardedEvent(session.toString(), from, to).commit();
    }
  }

  @Override
  public void onConnectionRefused(InetSocketAddress from, String reason) {
    if (REFUSED.isEnabled()) {
      new ConnectionRefusedEvent(from.toString(), reason).commit();
    }
  }
}
