package dev.decant.brokers;

import static dev.decant.brokers.SecuredBrokerTest.assertCode;
import static dev.decant.brokers.SecuredBrokerTest.read;
import static dev.decant.brokers.SecuredBrokerTest.readWithApache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.GssapiModule;
import dev.decant.kafka.security.TestKdc;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Our client and Apache's with the same properties, at a real broker that takes tickets of Kerberos. The KDC runs in
 * this JVM, whose {@code java.security.krb5.conf} is set until the last test of the class is over.
 */
@Tag("full")
@Timeout(120)
@EnabledIf(value = GssapiModule.IS_THERE, disabledReason = GssapiModule.MISSING)
@ExtendWith(QuietLog.class)
class KerberosBrokerTest {
  private static final Duration SESSION = Duration.ofSeconds(6);
  /** As many as a client may have with one broker: for data, and for the coordinator. */
  private static final int CONNECTIONS = 2;

  @TempDir
  private static Path directory;
  private static TestKdc kdc;
  private static Path keytab;
  private static Path ticketCache;
  private static Listener listener;
  private static KafkaCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    kdc = TestKdc.start(directory);
    keytab = kdc.keytab("orders.keytab", "orders");
    ticketCache = kdc.ticketCache("cache", "auditor");
    listener = Listener.builder("KERBEROS")
        .gssapi(kdc.keytab("broker.keytab", "kafka/localhost"), "kafka/localhost@EXAMPLE.COM", kdc.krb5Conf())
        .host("localhost").maxReauth(SESSION).build();
    cluster = KafkaCluster.builder().listener(listener).authorizer().setting("num.network.threads", "1").start();
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      cluster.close();
    } finally {
      kdc.close();
    }
    assertThat(System.getProperty("java.security.krb5.conf")).isNull();
  }

  /** For our client and Apache's. */
  private static Map<String, Object> properties(String login) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", cluster.bootstrap(listener));
    properties.put("security.protocol", listener.securityProtocol());
    properties.put("sasl.mechanism", "GSSAPI");
    properties.put("sasl.kerberos.service.name", "kafka");
    properties.put("sasl.jaas.config", "com.sun.security.auth.module.Krb5LoginModule required refreshKrb5Config=true"
        + " doNotPrompt=true " + login + ";");
    return properties;
  }

  private static Map<String, Object> byKeytab() {
    return properties("useKeyTab=true storeKey=true principal=\"orders@EXAMPLE.COM\" keyTab=\"" + keytab + "\"");
  }

  private static Map<String, Object> byTicketCache() {
    return properties("useTicketCache=true ticketCache=\"" + ticketCache + "\"");
  }

  private static Producer<String, String> producer(KafkaClient client, String topic) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(topic).open();
  }

  @Test
  void oursAndApachesClientReadEachOthersRecords() throws Exception {
    String topic = cluster.createTopic(1);
    try (KafkaClient orders = KafkaClient.fromProperties(byKeytab());
        Producer<String, String> ours = producer(orders,
            topic)) {
      assertThat(ours.sendAndWait("k", "ours").offset()).isZero();
    }
    try (KafkaProducer<String, String> theirs = new KafkaProducer<>(byKeytab(), new StringSerializer(),
        new StringSerializer())) {
      assertThat(theirs.send(new ProducerRecord<>(topic, "k", "theirs")).get().offset()).isEqualTo(1);
    }
    try (KafkaClient auditor = KafkaClient.fromProperties(byTicketCache());
        Consumer<String, String> consumer = auditor.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(topic, 0);
      assertThat(read(consumer, 2)).containsExactly("ours", "theirs");
    }
    assertThat(readWithApache(byTicketCache(), topic, 2)).containsExactly("ours", "theirs");
  }

  @Test
  void sessionsThatEndAreReplacedWhileRecordsGoOutAndComeIn() throws Exception {
    String topic = cluster.createTopic(2);
    try (SteadyLoad load = new SteadyLoad(KafkaClient.fromProperties(byKeytab()), topic)) {
      load.awaitSteadiness();
      load.awaitReplacements(CONNECTIONS);
      load.finish(Map.of("bootstrap.servers", cluster.bootstrap()));
    }
  }

  @Test
  void rulesNameTheClientByItsPrincipalWithoutTheRealm() throws Exception {
    String topic = cluster.createTopic(1);
    cluster.allow("User:orders", "WRITE", "TOPIC", topic);
    cluster.allow("User:auditor", "DESCRIBE", "TOPIC", topic);
    try (KafkaClient orders = KafkaClient.fromProperties(byKeytab());
        Producer<String, String> allowed = producer(
            orders, topic)) {
      assertThat(allowed.sendAndWait("k", "v").offset()).isZero();
    }
    try (KafkaClient auditor = KafkaClient.fromProperties(byTicketCache());
        Producer<String, String> denied = producer(
            auditor, topic)) {
      assertCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED, () -> denied.sendAndWait("k", "v"));
    }
  }

  @Test
  void wrongServiceNameReachesOpenAtOnceInOneLine() {
    Map<String, Object> wrong = byKeytab();
    wrong.put("sasl.kerberos.service.name", "kafak");
    try (KafkaClient client = KafkaClient.fromProperties(wrong)) {
      assertThatThrownBy(() -> producer(client, "orders")).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("the KDC does not know the service kafak/localhost")
          .message().hasLineCount(1);
    }
  }
}
