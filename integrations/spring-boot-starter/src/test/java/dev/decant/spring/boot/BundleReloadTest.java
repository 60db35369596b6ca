package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Operation;
import dev.decant.fake.Resource;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TlsSettings.ClientCertificates;
import dev.decant.tls.TrustSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ApplicationContext;

/**
 * The file of an SSL bundle changes under an open client. Boot reads it again ({@code reload-on-update}), and the next
 * handshake of the client shows the new certificate. The brokers let one certificate after the other read the topic.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BundleReloadTest {
  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final Operation[] RIGHTS = {Operation.READ, Operation.WRITE, Operation.DESCRIBE};

  @TempDir
  private Path directory;

  /** Needs the broker. */
  private interface Call {
    void run() throws Exception;
  }

  /** Certificate and key are one file, so that no half of them is ever seen. */
  private Path show(String name) throws IOException {
    TestCertificate certificate = AUTHORITY.client(name);
    Path next = Files.writeString(directory.resolve("next.pem"), certificate.chainPem() + certificate.keyPem());
    return Files.move(next, directory.resolve("client.pem"), StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  private static FakeCluster cluster() {
    TestCertificate server = AUTHORITY.server("localhost", "127.0.0.1");
    TlsSettings tls = TlsSettings.builder().keys(KeySource.pemText(server.chainPem(), server.keyPem(), new char[0]))
        .trust(TrustSource.pemText(AUTHORITY.pem())).clientCertificates(ClientCertificates.NEEDED).build();
    return FakeCluster.builder().topic("orders", 1).tls(tls).superUser("User:CN=nobody").start();
  }

  /** Repeats a call until it succeeds, with rights for this certificate alone. */
  private static void expect(FakeCluster kafka, String name, Call call) throws InterruptedException {
    kafka.security().allow("User:CN=" + name, Resource.topic("orders"), RIGHTS);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (String last = "not tried"; !last.isEmpty(); last = failure(call)) {
      assertThat(System.nanoTime()).as("%s connects in time; until now: %s", name, last).isLessThan(deadline);
      kafka.broker(1).disconnectClients(); // the next handshake shows the certificate that the client has then
    }
    kafka.security().remove("User:CN=" + name, Resource.topic("orders"), RIGHTS);
  }

  private static String failure(Call call) throws InterruptedException {
    try {
      call.run();
      return "";
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      return e.toString();
    }
  }

  @SuppressWarnings("unchecked")
  private static Producer<String, String> producer(ApplicationContext context) {
    return (Producer<String, String>) Contexts.producers(context).createProducer();
  }

  @Test
  void openClientsShowTheNewCertificate() throws Exception {
    String file = "file:" + show("first");
    String trusted = "file:" + Files.writeString(directory.resolve("ca.pem"), AUTHORITY.pem());
    String bundle = "spring.ssl.bundle.pem.brokers.";
    try (FakeCluster kafka = cluster()) {
      Contexts.runner().withPropertyValues("spring.kafka.bootstrap-servers=" + kafka.bootstrap(),
          "spring.kafka.security.protocol=SSL", "spring.kafka.ssl.bundle=brokers",
          "spring.kafka.properties.reconnect.backoff.max.ms=50", bundle + "truststore.certificate=" + trusted,
          bundle + "keystore.certificate=" + file, bundle + "keystore.private-key=" + file,
          bundle + "reload-on-update=true", "spring.ssl.bundle.watch.file.quiet-period=10ms").run(context -> {
            assertThat(context).hasNotFailed();
            try (Producer<String, String> producer = producer(context)) {
              Call call = () -> producer.send(new ProducerRecord<>("orders", "paid")).get();
              expect(kafka, "first", call);
              show("second");
              expect(kafka, "second", call);
            }
            try (Consumer<?, ?> consumer = Contexts.consumers(context).createConsumer("group", "")) {
              Call call = () -> consumer.endOffsets(Set.of(new TopicPartition("orders", 0)));
              expect(kafka, "second", call);
              show("third");
              expect(kafka, "third", call);
            }
            try (var consumer = context.getBean(KafkaClient.class).consumer(Serdes.bytes(), Serdes.bytes())
                .group("group").open()) {
              Call call = () -> consumer.endOffsets(new dev.decant.kafka.TopicPartition("orders", 0));
              expect(kafka, "third", call);
              show("fourth");
              expect(kafka, "fourth", call);
            }
          });
    }
  }
}
