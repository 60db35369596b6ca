package dev.decant.kafka.apache;

import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import dev.decant.testkit.TestAuthority;
import dev.decant.tls.TlsSettings.ClientCertificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * One broker, shared by all test classes that are extended with it: their topics, groups and transactional ids have
 * names of their own. Members of its groups under the consumer protocol miss each other soon.
 */
final class PlainCluster implements BeforeAllCallback {
  static final TestAuthority AUTHORITY = TestAuthority.create();
  /** Clients show a certificate of the authority. */
  static final Listener MUTUAL = Listener.builder("MUTUAL").tls(AUTHORITY.server("localhost", "127.0.0.1"))
      .clientCertificates(ClientCertificates.NEEDED, AUTHORITY).build();

  private static volatile @Nullable KafkaCluster current;

  /** Starts it before the first class; it ends after the last. */
  @Override
  public void beforeAll(ExtensionContext context) {
    current = context.getRoot().getStore(Namespace.create(PlainCluster.class)).computeIfAbsent(KafkaCluster.class,
        key -> KafkaCluster.builder().listener(MUTUAL).setting("group.consumer.heartbeat.interval.ms", "300").start(),
        KafkaCluster.class);
  }

  static KafkaCluster current() {
    KafkaCluster started = current;
    if (started == null) {
      throw new IllegalStateException("extend the class with PlainCluster");
    }
    return started;
  }
}
