package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;

/** Passes the cluster's id to plug-ins that listen for it, once. Caller's thread only (see {@link ThreadCheck}). */
final class ClusterIdListeners {
  private final KafkaClient client;
  private final List<ClusterResourceListener> listeners = new ArrayList<>();
  private boolean isDone;

  /** Takes the plug-ins that are listeners. */
  ClusterIdListeners(KafkaClient client, Collection<?> plugins) {
    this.client = client;
    for (Object plugin : plugins) {
      if (plugin instanceof ClusterResourceListener listener) {
        listeners.add(listener);
      }
    }
    isDone = listeners.isEmpty();
  }

  /** Calls the listeners once the id is known. */
  void update() {
    if (!isDone) {
      client.clusterId().ifPresent(id -> {
        isDone = true;
        listeners.forEach(listener -> listener.onUpdate(new ClusterResource(id)));
      });
    }
  }
}
