package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.Uuid;
import org.jspecify.annotations.Nullable;

/** A topic to which producers of the client write, with what the last metadata says of it. Owner of the loop only. */
final class ProduceTopic {
  private static final long USE_NANOS = 1_000_000_000L;

  final String name;
  /** How many producers are open for it. Written by who holds the sender's entry of it, read by any thread. */
  volatile int producers;
  /** Version of the snapshot of which {@link #metadata} is. */
  private long seen = -1;
  private @Nullable TopicMetadata metadata;
  private boolean isUsed;
  /** When the cluster is to be told again that the topic is in use, once it was. */
  private long nextUseNanos;

  ProduceTopic(String name) {
    this.name = name;
  }

  /** Null if the cluster has not told of it. */
  @Nullable
  TopicMetadata metadata(ClusterSnapshot snapshot) {
    if (seen != snapshot.version()) {
      seen = snapshot.version();
      metadata = snapshot.topic(name);
    }
    return metadata;
  }

  /** Records for it are to be sent; says whether the cluster is to be told, which is so about once a second. */
  boolean isUseNews(long nowNanos) {
    if (isUsed && nextUseNanos - nowNanos > 0) {
      return false;
    }
    isUsed = true;
    nextUseNanos = nowNanos + USE_NANOS;
    return true;
  }

  /** Whether no records were to be sent for so long; a second more or less. One without a record is idle from now. */
  boolean isIdle(long nanos, long nowNanos) {
    if (!isUsed) {
      isUsed = true;
      nextUseNanos = nowNanos;
    }
    return nowNanos - nextUseNanos >= nanos;
  }

  /** {@link Uuid#ZERO} if the cluster has not told of one. */
  Uuid id() {
    TopicMetadata known = metadata;
    return known == null ? Uuid.ZERO : known.id();
  }
}
