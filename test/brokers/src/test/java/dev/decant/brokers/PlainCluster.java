package dev.decant.brokers;

import dev.decant.testkit.KafkaCluster;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * One broker without secured listeners, shared by all test classes that are extended with it. They have topics, groups
 * and transactional ids of their own, and leave it running. Its members miss each other soon, and a transaction that
 * outlives its time-out is aborted soon.
 */
final class PlainCluster {
  /** Starts it before the first class, and ends it after the last. */
  static final class Shared implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
      current = context.getRoot().getStore(Namespace.create(PlainCluster.class))
          .computeIfAbsent(KafkaCluster.class, key -> start(), KafkaCluster.class);
    }
  }

  private static volatile @Nullable KafkaCluster current;

  private PlainCluster() {}

  private static KafkaCluster start() {
    return KafkaCluster.builder().feature("transaction.version", 2)
        .setting("group.consumer.migration.policy", "bidirectional")
        .setting("group.consumer.heartbeat.interval.ms", "300").setting("group.consumer.session.timeout.ms", "6000")
        .setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", "200").start();
  }

  static KafkaCluster current() {
    KafkaCluster started = current;
    if (started == null) {
      throw new IllegalStateException("extend the class with PlainCluster.Shared");
    }
    return started;
  }
}
