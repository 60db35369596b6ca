package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * A target that the metadata names. New metadata and changed connections run {@code onChange}. Owner of the loop only.
 */
abstract class ClusterTarget implements Target {
  private final Cluster cluster;
  private final Runnable onChange;
  private boolean listens;

  ClusterTarget(Cluster cluster, Runnable onChange) {
    this.cluster = cluster;
    this.onChange = onChange;
  }

  /** Returns the link to the broker that the metadata names if it takes a request now; otherwise null. */
  abstract @Nullable BrokerLink find(Cluster among);

  @Override
  public final @Nullable BrokerLink readyLink() {
    if (!listens) { // not in the constructor: the target may be made by another thread than the owner of the loop
      listens = true;
      cluster.onChange(onChange);
    }
    return find(cluster);
  }

  /** Returns null: metadata is requested until it names a broker, so there is no final error. */
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
