package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The file of an SSL bundle changes under an open client. Boot reads it again ({@code reload-on-update}), and the next
 * handshake of the client shows the new certificate. The peer is no broker, so no call here ever succeeds.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BundleReloadTest {
  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final Duration MOMENT = Duration.ofMillis(50);

  @TempDir
  private Path directory;

  /** Needs a connection, for a moment. */
  private interface Call {
    void run() throws InterruptedException;
  }

  /** Certificate and key are one file, so that no half of them is ever seen. */
  private Path show(String name) throws IOException {
    TestCertificate certificate = AUTHORITY.client(name);
    Path next = Files.writeString(directory.resolve("next.pem"), certificate.chainPem() + certificate.keyPem());
    return Files.move(next, directory.resolve("client.pem"), StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  private static void repeat(Call call, TlsPeer peer, String name) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!peer.hasSeen("CN=" + name)) {
      assertThat(System.nanoTime()).as("%s connects in time", name).isLessThan(deadline);
      call.run();
    }
  }

  @Test
  void openClientsShowTheNewCertificate() throws Exception {
    String file = "file:" + show("first");
    String trusted = "file:" + Files.writeString(directory.resolve("ca.pem"), AUTHORITY.pem());
    String bundle = "spring.ssl.bundle.pem.brokers.";
    try (TlsPeer peer = new TlsPeer(AUTHORITY, directory)) {
      Contexts.runner().withPropertyValues("spring.kafka.bootstrap-servers=" + peer.address(),
          "spring.kafka.security.protocol=SSL", "spring.kafka.ssl.bundle=brokers",
          "spring.kafka.properties.reconnect.backoff.max.ms=50",
          "spring.kafka.producer.properties.max.block.ms=" + MOMENT.toMillis(),
          bundle + "truststore.certificate=" + trusted, bundle + "keystore.certificate=" + file,
          bundle + "keystore.private-key=" + file, bundle + "reload-on-update=true",
          "spring.ssl.bundle.watch.file.quiet-period=10ms").run(context -> {
            assertThat(context).hasNotFailed();
            try (Producer<?, ?> producer = Contexts.producers(context).createProducer()) {
              Call call = () -> ask(producer);
              repeat(call, peer, "first");
              show("second");
              repeat(call, peer, "second");
            }
            try (Consumer<?, ?> consumer = Contexts.consumers(context).createConsumer("group", "")) {
              consumer.subscribe(List.of("any"));
              Call call = () -> consumer.poll(MOMENT);
              peer.forget();
              repeat(call, peer, "second");
              show("third");
              repeat(call, peer, "third");
            }
            try (var consumer = context.getBean(KafkaClient.class).consumer(Serdes.bytes(), Serdes.bytes())
                .group("group").subscribe("any").open()) {
              Call call = () -> consumer.poll(MOMENT, record -> fail("a record of no broker"));
              peer.forget();
              repeat(call, peer, "third");
              show("fourth");
              repeat(call, peer, "fourth");
            }
          });
    }
  }

  private static void ask(Producer<?, ?> producer) {
    try {
      producer.partitionsFor("any");
    } catch (TimeoutException e) {
      // as it has to be
    }
  }
}
