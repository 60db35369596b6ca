package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.Uuid;
import org.jspecify.annotations.Nullable;

/** A topic to which producers of the client write, with its last metadata. Owner of the loop only. */
final class ProduceTopic {
  private static final long USE_NANOS = 1_000_000_000L;

  final String name;
  /** Number of open producers. Written by {@link ProduceTopics}, read by any thread. */
  volatile int producers;
  /** Version of the snapshot that {@link #metadata} is from. */
  private long seen = -1;
  private @Nullable TopicMetadata metadata;
  private boolean isUsed;
  /** Once the topic was used: when the cluster hears the next time that it is in use. */
  private long nextUseNanos;

  ProduceTopic(String name) {
    this.name = name;
  }

  /** The topic's metadata; null if the cluster has not told of it. */
  @Nullable
  TopicMetadata metadata(ClusterSnapshot snapshot) {
    if (seen != snapshot.version()) {
      seen = snapshot.version();
      metadata = snapshot.topic(name);
    }
    return metadata;
  }

  /**
   * Returns the metadata for records that are to be sent now; null if the cluster has not told of the topic. The
   * cluster hears about once a second that the topic is in use: otherwise it would forget it.
   */
  @Nullable
  TopicMetadata use(Cluster cluster, long nowNanos) {
    if (!isUsed || nextUseNanos - nowNanos <= 0) {
      isUsed = true;
      nextUseNanos = nowNanos + USE_NANOS;
      cluster.keepTopic(name);
    }
    return metadata(cluster.snapshot());
  }

  /**
   * Returns true if no records were to be sent for a time, a second more or less. Without any use, it counts from now.
   */
  boolean isIdle(long nanos, long nowNanos) {
    if (!isUsed) {
      isUsed = true;
      nextUseNanos = nowNanos;
    }
    return nowNanos - nextUseNanos >= nanos;
  }

  /** The topic's id; {@link Uuid#ZERO} if the cluster has not told of one. */
  Uuid id() {
    TopicMetadata known = metadata;
    return known == null ? Uuid.ZERO : known.id();
  }
}
