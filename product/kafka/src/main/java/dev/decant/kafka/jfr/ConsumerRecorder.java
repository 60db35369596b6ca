package dev.decant.kafka.jfr;

import dev.decant.kafka.event.ConsumerListener;
import jdk.jfr.EventType;

/** Records fetches. */
final class ConsumerRecorder implements ConsumerListener {
  private static final EventType FETCHED = EventType.getEventType(FetchedEvent.class);

  @Override
  public void onFetched(String broker, int partitions, int bytes) {
    if (FETCHED.isEnabled()) {
      new FetchedEvent(broker, partitions, bytes).commit();
    }
  }
}
