package dev.decant.kafka.apache;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterBuilder;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TlsSettings.ClientCertificates;
import dev.decant.tls.TrustSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fake brokers, shared by all test classes that are extended with them; each test uses unique names of topics, groups
 * and transactional ids. Session timeouts under the consumer protocol are short. As with the brokers of the test kit, a
 * topic is available once it is created.
 */
final class PlainCluster implements BeforeAllCallback {
  static final TestAuthority AUTHORITY = TestAuthority.create();

  private static final AtomicInteger TOPICS = new AtomicInteger();
  private static volatile @Nullable Clusters current;

  /** Two clusters with the same topics, because either all or no connections of a fake cluster are encrypted. */
  private record Clusters(FakeCluster plain, FakeCluster mutual) implements AutoCloseable {
    static Clusters start() {
      TestCertificate server = AUTHORITY.server("localhost", "127.0.0.1");
      TlsSettings tls = TlsSettings.builder().keys(KeySource.pemText(server.chainPem(), server.keyPem(), new char[0]))
          .trust(TrustSource.pemText(AUTHORITY.pem())).clientCertificates(ClientCertificates.NEEDED).build();
      return new Clusters(builder().start(), builder().tls(tls).start());
    }

    private static FakeClusterBuilder builder() {
      return FakeCluster.builder().setting("auto.create.topics.enable", "false")
          .setting("group.consumer.min.heartbeat.interval.ms", "100")
          .setting("group.consumer.heartbeat.interval.ms", "300");
    }

    @Override
    public void close() {
      plain.close();
      mutual.close();
    }
  }

  /** Starts the clusters before the first class; they end after the last. */
  @Override
  public void beforeAll(ExtensionContext context) {
    current = context.getRoot().getStore(Namespace.create(PlainCluster.class)).computeIfAbsent(Clusters.class,
        key -> Clusters.start(), Clusters.class);
  }

  private static Clusters current() {
    Clusters started = current;
    if (started == null) {
      throw new IllegalStateException("extend the class with PlainCluster");
    }
    return started;
  }

  static String bootstrap() {
    return current().plain().bootstrap();
  }

  /** Returns the address at which clients must have a certificate of the authority. */
  static String encrypted() {
    return current().mutual().bootstrap();
  }

  static void createTopic(String name, int partitions) {
    current().plain().createTopic(name, partitions);
    current().mutual().createTopic(name, partitions);
  }

  /** Creates a topic with a unique name. */
  static String createTopic(int partitions) {
    String name = "topic-" + TOPICS.incrementAndGet();
    createTopic(name, partitions);
    return name;
  }
}
