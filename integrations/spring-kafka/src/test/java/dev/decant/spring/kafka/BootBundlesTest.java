package dev.decant.spring.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Operation;
import dev.decant.fake.Resource;
import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TlsSettings.ClientCertificates;
import dev.decant.tls.TrustSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaConsumerFactoryCustomizer;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.kafka.autoconfigure.SslBundleSslEngineFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ProducerFactory;

/**
 * Keys and trust of an SSL bundle of Spring Boot, in an application that defines both factories itself. Boot hands the
 * bundle to clients as an object beside the class of a factory of TLS engines.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BootBundlesTest {
  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final TestCertificate ORDERS = AUTHORITY.client("orders");
  private static final TestCertificate RENEWED = AUTHORITY.client("renewed");

  /** They do what the starter for Boot does. */
  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({SslAutoConfiguration.class, KafkaAutoConfiguration.class})
  static class Beans {
    @Bean
    ProducerFactory<?, ?> producerFactory(KafkaProperties properties, KafkaConnectionDetails connection,
        ObjectProvider<DefaultKafkaProducerFactoryCustomizer> customizers) {
      Map<String, Object> configs = properties.buildProducerProperties();
      connect(configs, connection.getProducer());
      var factory = new DecantProducerFactory<Object, Object>(configs);
      String transactions = properties.getProducer().getTransactionIdPrefix();
      if (transactions != null) {
        factory.setTransactionIdPrefix(transactions);
      }
      customizers.orderedStream().forEach(customizer -> customizer.customize(factory));
      return factory;
    }

    @Bean
    ConsumerFactory<?, ?> consumerFactory(KafkaProperties properties, KafkaConnectionDetails connection,
        ObjectProvider<DefaultKafkaConsumerFactoryCustomizer> customizers) {
      Map<String, Object> configs = properties.buildConsumerProperties();
      connect(configs, connection.getConsumer());
      var factory = new DecantConsumerFactory<Object, Object>(configs);
      customizers.orderedStream().forEach(customizer -> customizer.customize(factory));
      return factory;
    }

    private static void connect(Map<String, Object> configs, KafkaConnectionDetails.Configuration connection) {
      configs.put("bootstrap.servers", connection.getBootstrapServers());
      if (connection.getSecurityProtocol() != null) {
        configs.put("security.protocol", connection.getSecurityProtocol());
      }
      if (connection.getSslBundle() != null) {
        configs.put("ssl.engine.factory.class", SslBundleSslEngineFactory.class);
        configs.put(SslBundle.class.getName(), connection.getSslBundle());
      }
    }
  }

  /** Brokers of one topic, which only the client with this certificate sees. */
  private static FakeCluster cluster(String name) {
    TestCertificate server = AUTHORITY.server("localhost", "127.0.0.1");
    TlsSettings tls = TlsSettings.builder().keys(KeySource.pemText(server.chainPem(), server.keyPem(), new char[0]))
        .trust(TrustSource.pemText(AUTHORITY.pem())).clientCertificates(ClientCertificates.NEEDED).build();
    return FakeCluster.builder().topic("orders", 1).tls(tls)
        .allow("User:CN=" + name, Resource.topic("orders"), Operation.DESCRIBE).start();
  }

  private static ConfigurableApplicationContext start(FakeCluster kafka) {
    SpringApplication application = new SpringApplication(Beans.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setLogStartupInfo(false);
    application.setBannerMode(org.springframework.boot.Banner.Mode.OFF);
    Map<String, Object> properties = new HashMap<>(Map.of("spring.kafka.bootstrap-servers", kafka.bootstrap(),
        "spring.kafka.security.protocol", "SSL", "spring.kafka.ssl.bundle", "brokers"));
    String bundle = "spring.ssl.bundle.pem.brokers.";
    properties.put(bundle + "truststore.certificate", AUTHORITY.pem());
    properties.put(bundle + "keystore.certificate", ORDERS.chainPem());
    properties.put(bundle + "keystore.private-key", ORDERS.keyPem());
    application.setDefaultProperties(properties);
    return application.run();
  }

  @Test
  void clientsShowTheCertificateOfTheBundle() {
    try (FakeCluster kafka = cluster("orders"); ConfigurableApplicationContext context = start(kafka)) {
      ConsumerFactory<?, ?> consumers = context.getBean(ConsumerFactory.class);
      try (Consumer<?, ?> consumer = consumers.createConsumer("group", "")) {
        assertThat(consumer).isInstanceOf(DecantConsumer.class);
        assertThat(consumer.partitionsFor("orders")).hasSize(1);
      }
      ProducerFactory<?, ?> producers = context.getBean(ProducerFactory.class);
      try (Producer<?, ?> producer = producers.createProducer()) {
        assertThat(producer.partitionsFor("orders")).hasSize(1);
        assertThat(producer).asString().contains("DecantProducer");
      }
    }
  }

  /** Boot tells of a bundle that has changed, and Spring's factory takes settings for new clients. */
  @Test
  void clientsOfAFactoryTakeAChangedBundle() {
    try (FakeCluster kafka = cluster("renewed"); ConfigurableApplicationContext context = start(kafka)) {
      SslBundles bundles = context.getBean(SslBundles.class);
      var factory = (DecantProducerFactory<?, ?>) context.getBean(ProducerFactory.class);
      bundles.addBundleUpdateHandler("brokers", bundle -> {
        factory.updateConfigs(Map.of(SslBundle.class.getName(), bundle));
        factory.reset();
      });
      try (Producer<?, ?> before = factory.createProducer()) {
        assertThatThrownBy(() -> before.partitionsFor("orders")).isInstanceOf(TopicAuthorizationException.class);
        SslStoreBundle renewed = new PemSslStoreBundle(
            PemSslStore.load(PemSslStoreDetails.forCertificates(RENEWED.chainPem()).withPrivateKey(RENEWED.keyPem())),
            PemSslStore.load(PemSslStoreDetails.forCertificates(AUTHORITY.pem())));
        ((org.springframework.boot.ssl.DefaultSslBundleRegistry) bundles).updateBundle("brokers",
            SslBundle.of(renewed));
      }
      try (Producer<?, ?> after = factory.createProducer()) {
        assertThat(after.partitionsFor("orders")).hasSize(1);
      }
    }
  }
}
