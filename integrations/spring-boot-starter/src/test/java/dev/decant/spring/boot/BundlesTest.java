package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Keys and trust of an SSL bundle, which may change while clients are open. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BundlesTest {
  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final TestCertificate ORDERS = AUTHORITY.client("orders");
  private static final TestCertificate RENEWED = AUTHORITY.client("renewed");

  private static final String BUNDLE = "spring.ssl.bundle.pem.brokers.";
  private final ApplicationContextRunner runner = Contexts.runner().withPropertyValues(
      "spring.kafka.security.protocol=SSL", "spring.kafka.ssl.bundle=brokers",
      BUNDLE + "truststore.certificate=" + AUTHORITY.pem(), BUNDLE + "keystore.certificate=" + ORDERS.chainPem(),
      BUNDLE + "keystore.private-key=" + ORDERS.keyPem());

  private static Object certificate(Map<String, Object> settings) throws Exception {
    SslBundle bundle = (SslBundle) settings.get(SslBundle.class.getName());
    return Objects.requireNonNull(bundle).getStores().getKeyStore().getCertificate("ssl");
  }

  @Test
  void factoriesHaveTheBundleAsItIsNow() {
    runner.run(context -> {
      assertThat(context).hasNotFailed();
      Map<String, Object> producers = Contexts.producers(context).getConfigurationProperties();
      Map<String, Object> consumers = Contexts.consumers(context).getConfigurationProperties();
      Object before = certificate(producers);
      assertThat(before).asString().contains("CN=orders");
      assertThat(certificate(consumers)).isEqualTo(before);

      SslStoreBundle renewed = new PemSslStoreBundle(
          PemSslStore.load(PemSslStoreDetails.forCertificates(RENEWED.chainPem()).withPrivateKey(RENEWED.keyPem())),
          PemSslStore.load(PemSslStoreDetails.forCertificates(AUTHORITY.pem())));
      ((DefaultSslBundleRegistry) context.getBean(SslBundles.class)).updateBundle("brokers", SslBundle.of(renewed));

      assertThat(certificate(producers)).asString().contains("CN=renewed");
      assertThat(certificate(consumers)).asString().contains("CN=renewed");
    });
  }

  @Test
  void theNativeClientIsEncryptedToo() {
    runner.run(context -> {
      KafkaClient client = context.getBean(KafkaClient.class);
      assertThat(client.tls()).isPresent();
    });
  }
}
