package dev.decant.kafka.apache;

import dev.decant.testkit.KafkaCluster;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A real broker, shared by all test classes that are extended with it; each test uses unique names of topics, groups
 * and transactional ids. Session timeouts of groups under the consumer protocol are short.
 */
final class RealCluster implements BeforeAllCallback {
  private static volatile @Nullable KafkaCluster current;

  /** Starts the broker before the first class; it ends after the last. */
  @Override
  public void beforeAll(ExtensionContext context) {
    current = context.getRoot().getStore(Namespace.create(RealCluster.class)).computeIfAbsent(KafkaCluster.class,
        key -> KafkaCluster.builder().setting("group.consumer.heartbeat.interval.ms", "300").start(),
        KafkaCluster.class);
  }

  static KafkaCluster current() {
    KafkaCluster started = current;
    if (started == null) {
      throw new IllegalStateException("extend the class with RealCluster");
    }
    return started;
  }
}
