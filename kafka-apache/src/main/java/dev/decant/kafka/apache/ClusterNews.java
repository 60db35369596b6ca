package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;

/** Tells plug-ins that want to know it which cluster the client is connected to, once. The thread that is inside. */
final class ClusterNews {
  private final KafkaClient client;
  private final List<ClusterResourceListener> listeners = new ArrayList<>();
  private boolean told;

  /** For those of the plug-ins that listen. */
  ClusterNews(KafkaClient client, Collection<?> plugins) {
    this.client = client;
    for (Object plugin : plugins) {
      if (plugin instanceof ClusterResourceListener listener) {
        listeners.add(listener);
      }
    }
    told = listeners.isEmpty();
  }

  /** Tells what is known now. */
  void tell() {
    if (!told) {
      client.clusterId().ifPresent(id -> {
        told = true;
        listeners.forEach(listener -> listener.onUpdate(new ClusterResource(id)));
      });
    }
  }
}
