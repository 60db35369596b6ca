package dev.decant.fake.security;

import dev.decant.fake.api.ApiTable;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;

/** The rights that clients need for each API: the same as in Kafka's brokers. */
final class Guards {
  private Guards() {}

  /** Puts guards in front of the handlers in the table. */
  static void addAll(ApiTable apis, Cluster cluster) {
    RecordGuards.addTo(apis, cluster);
    TopicGuards.addTo(apis, cluster);
    GroupGuards.addTo(apis, cluster);
    ShareGuards.addTo(apis);
    TransactionGuards.addTo(apis, cluster);
    ClusterGuards.addTo(apis);
    MetadataGuard.addTo(apis, cluster);
  }

  static <Q, R> void add(ApiTable apis, ApiKey key, Guard<Q, R> guard) {
    apis.<Q, R>wrap(key, next -> new GuardedHandler<>(next, guard));
  }
}
