package dev.decant.kafka.jfr;

import dev.decant.kafka.event.GroupListener;
import jdk.jfr.EventType;

/** Records how partitions move in groups. */
final class GroupRecorder implements GroupListener {
  private static final EventType REBALANCED = EventType.getEventType(RebalancedEvent.class);

  @Override
  public void onRebalanced(String group, int revoked, int assigned, int now) {
    if (REBALANCED.isEnabled()) {
      new RebalancedEvent(group, revoked, assigned, now).commit();
    }
  }
}
