package dev.decant.fake.cluster;

import dev.decant.fake.log.PartitionLog;
import dev.decant.loop.Timer;

/** The periodic tasks of brokers by the cluster's clock: retention, and the expiry of producers. */
final class Housekeeping {
  private final Cluster cluster;
  private final Timer retention = new Timer(this::applyRetention);
  private final Timer producers = new Timer(this::expireProducers);

  Housekeeping(Cluster cluster) {
    this.cluster = cluster;
  }

  void begin() {
    cluster.schedule(retention, cluster.settings().getLong("log.initial.task.delay.ms"));
    scheduleProducers();
  }

  private void scheduleProducers() {
    cluster.schedule(producers, cluster.settings().getInt("producer.id.expiration.check.interval.ms"));
  }

  private void applyRetention() {
    cluster.applyRetention();
    cluster.schedule(retention, cluster.settings().getLong("log.retention.check.interval.ms"));
  }

  private void expireProducers() {
    long before = cluster.nowMillis() - cluster.settings().getInt("producer.id.expiration.ms");
    for (Topic topic : cluster.topics().all()) {
      for (Partition partition : topic.partitions()) {
        PartitionLog log = partition.usedLog();
        if (log != null) {
          log.producers().expireBefore(before);
        }
      }
    }
    scheduleProducers();
  }
}
