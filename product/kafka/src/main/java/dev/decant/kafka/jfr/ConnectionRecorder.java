package dev.decant.kafka.jfr;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ConnectionListener;
import jdk.jfr.EventType;

/** Records what becomes of connections. */
final class ConnectionRecorder implements ConnectionListener {
  private static final EventType READY = EventType.getEventType(ConnectionReadyEvent.class);
  private static final EventType CLOSED = EventType.getEventType(ConnectionClosedEvent.class);
  private static final EventType ENDED = EventType.getEventType(ConnectionEndedEvent.class);

  @Override
  public void onReady(String broker, long nanos) {
    if (READY.isEnabled()) {
      new ConnectionReadyEvent(broker, nanos).commit();
    }
  }

  @Override
  public void onClosed(String broker, String reason) {
    if (CLOSED.isEnabled()) {
      new ConnectionClosedEvent(broker, reason).commit();
    }
  }

  @Override
  public void onEnded(String broker, int unanswered, KafkaException cause) {
    if (ENDED.isEnabled()) {
      new ConnectionEndedEvent(broker, unanswered, cause).commit();
    }
  }
}
