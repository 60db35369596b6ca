package dev.decant.spring.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.kafka.core.KafkaTemplate;

/** Classes of an application's security behind both factories, against brokers with TLS and SASL. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SecurityClassesTest {
  private static final String PASSWORD = "planted-egret-31";
  private static final List<String> TOLD = new CopyOnWriteArrayList<>();

  /** Gives the name and the password to the mechanism. */
  public static final class Handler implements AuthenticateCallbackHandler {
    @Override
    public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
      TOLD.add("handler for " + mechanism + " of " + configs.get("acme.team"));
    }

    @Override
    public void handle(Callback[] callbacks) {
      for (Callback callback : callbacks) {
        if (callback instanceof NameCallback name) {
          name.setName("carol");
        } else if (callback instanceof PasswordCallback password) {
          password.setPassword(PASSWORD.toCharArray());
        }
      }
    }

    @Override
    public void close() {
      TOLD.add("handler closed");
    }
  }

  /** Makes engines as Apache's does, and says so. */
  public static final class Engines extends DefaultSslEngineFactory {
    @Override
    public SSLEngine createClientSslEngine(String host, int port, String endpointIdentification) {
      TOLD.add("engine with " + endpointIdentification);
      return super.createClientSslEngine(host, port, endpointIdentification);
    }
  }

  @Test
  void factoriesTakeThem() throws Exception {
    TestAuthority authority = TestAuthority.create();
    TestCertificate server = authority.server("localhost", "127.0.0.1");
    TlsSettings tls = TlsSettings.builder().keys(KeySource.pemText(server.chainPem(), server.keyPem(), new char[0]))
        .build();
    String topic = "orders";
    try (FakeCluster cluster = FakeCluster.builder().topic(topic, 1).tls(tls).sasl("PLAIN").user("carol", PASSWORD)
        .start()) {
      Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", cluster.bootstrap(),
          "security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN", "sasl.jaas.config",
          "org.apache.kafka.common.security.plain.PlainLoginModule required;", "sasl.client.callback.handler.class",
          Handler.class, "ssl.engine.factory.class", Engines.class.getName(), "ssl.truststore.type", "PEM",
          "ssl.truststore.certificates", authority.pem(), "auto.offset.reset", "earliest", "acme.team", "payments"));
      var producers = new DecantProducerFactory<>(settings, new StringSerializer(), new StringSerializer());
      try {
        new KafkaTemplate<>(producers).send(topic, "k", "v").get(30, TimeUnit.SECONDS);
      } finally {
        producers.destroy();
      }
      var consumers = new DecantConsumerFactory<>(settings, new StringDeserializer(), new StringDeserializer());
      List<String> read = new ArrayList<>();
      try (Consumer<String, String> consumer = consumers.createConsumer("billing", "")) {
        assertThat(consumer).isInstanceOf(DecantConsumer.class);
        consumer.subscribe(List.of(topic));
        while (read.isEmpty()) {
          consumer.poll(Duration.ofSeconds(1)).forEach(record -> read.add(record.value()));
        }
      }
      assertThat(read).containsExactly("v");
    }
    String configured = "handler for PLAIN of payments";
    assertThat(TOLD).filteredOn(line -> line.startsWith("handler")).containsExactly(configured, "handler closed",
        configured, "handler closed");
    assertThat(TOLD).contains("engine with https");
  }
}
