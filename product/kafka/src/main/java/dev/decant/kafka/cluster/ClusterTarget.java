package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/** A target that the metadata names: a change of metadata or connections is a reason to ask for it again. */
abstract class ClusterTarget implements Target {
  private final Cluster cluster;
  private final Runnable onChange;
  private boolean listens;

  ClusterTarget(Cluster cluster, Runnable onChange) {
    this.cluster = cluster;
    this.onChange = onChange;
  }

  /** The broker that the metadata names, if it can take a request now. */
  abstract @Nullable BrokerLink find(Cluster among);

  @Override
  public final @Nullable BrokerLink readyLink() {
    if (!listens) { // the target may have been made by another thread
      listens = true;
      cluster.onChange(onChange);
    }
    return find(cluster);
  }

  /** Metadata is asked for again and again until there is a broker. */
  @Override
  public @Nullable KafkaException lastError() {
    return null;
  }

  @Override
  public void moved(KafkaException cause) {
    cluster.requestUpdate();
  }

  @Override
  public void close() {
    cluster.removeOnChange(onChange);
  }
}
