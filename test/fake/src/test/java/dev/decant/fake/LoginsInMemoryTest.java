package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.security.CredentialsProvider;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TrustSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** TLS and a login within the process: the bytes are the same as by ports. */
@Timeout(60)
class LoginsInMemoryTest {
  @Test
  void loginsAndEncryptionWorkInMemory() throws Exception {
    TestAuthority authority = TestAuthority.create();
    TestCertificate server = authority.server("*.in-memory.invalid");
    try (FakeCluster kafka = FakeCluster.builder().topic("orders", 1).inMemory()
        .tls(TlsSettings.builder().keys(KeySource.pemText(server.chainPem(), server.keyPem(), new char[0])).build())
        .sasl("SCRAM-SHA-512").user("alice", "secret").start();
        KafkaClient client = KafkaClient.builder(kafka.bootstrap()).runtimeCheck(false)
            .requestTimeout(Duration.ofSeconds(15)).reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(5))
            .tls(TlsSettings.builder().trust(TrustSource.pemText(authority.pem())).build())
            .sasl(Sasl.scramSha512(CredentialsProvider.of("alice", "secret".toCharArray()))).build();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      assertThat(producer.sendAndWait("k", "v".repeat(100_000)).offset()).isZero();
      List<String> read = new ArrayList<>();
      try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
          .subscribe("orders").offsetReset(OffsetReset.EARLIEST).open()) {
        while (read.isEmpty()) {
          consumer.poll(Duration.ofSeconds(20), record -> read.add(record.value()));
        }
      }
      assertThat(read).containsExactly("v".repeat(100_000));
      kafka.broker(1).disconnectClients();
      assertThat(producer.sendAndWait("k", "again").offset()).isEqualTo(1);
    }
  }
}
