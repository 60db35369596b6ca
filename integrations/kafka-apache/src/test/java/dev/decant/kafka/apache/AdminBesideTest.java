package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.decant.fake.FakeCluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.security.auth.Subject;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.Login;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Apache's admin client beside Decant's clients, with one configuration. Its login, by a class of the application, and
 * theirs do not end each other.
 */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AdminBesideTest {
  private static final String SECRET = "planted-heron-3c77";
  private static FakeCluster cluster;

  /** Logs in by JAAS, and counts the logins that are not closed. */
  public static final class CountedLogin implements Login {
    static final AtomicInteger OPEN = new AtomicInteger();
    private String context = "";
    private @Nullable Configuration jaas;
    private @Nullable AuthenticateCallbackHandler handler;
    private Subject subject = new Subject();

    @Override
    public void configure(Map<String, ?> configs, String contextName, Configuration configuration,
        AuthenticateCallbackHandler loginHandler) {
      context = contextName;
      jaas = configuration;
      handler = loginHandler;
    }

    @Override
    public LoginContext login() throws LoginException {
      LoginContext login = new LoginContext(context, null, handler, jaas);
      login.login();
      subject = login.getSubject();
      OPEN.incrementAndGet();
      return login;
    }

    @Override
    public Subject subject() {
      return subject;
    }

    @Override
    public String serviceName() {
      return "kafka";
    }

    @Override
    public void close() {
      OPEN.decrementAndGet();
      subject.getPrivateCredentials().clear(); // a client that still used it could not log in any more
    }
  }

  @BeforeAll
  static void start() {
    cluster = FakeCluster.builder().sasl("PLAIN").user("alice", SECRET).start();
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private static Map<String, Object> configs(String loginClass) {
    Map<String, Object> configs = new HashMap<>();
    configs.put("bootstrap.servers", cluster.bootstrap());
    configs.put("security.protocol", "SASL_PLAINTEXT");
    configs.put("sasl.mechanism", "PLAIN");
    configs.put("sasl.jaas.config",
        PlainLoginModule.class.getName() + " required username=\"alice\" password=\"" + SECRET
            + "\";");
    configs.put("key.serializer", StringSerializer.class);
    configs.put("value.serializer", StringSerializer.class);
    configs.put("key.deserializer", StringDeserializer.class);
    configs.put("value.deserializer", StringDeserializer.class);
    configs.put("group.id", "payments");
    configs.put("auto.offset.reset", "earliest");
    configs.put("metadata.max.age.ms", "100"); // connections come and go, each of which authenticates
    configs.put("connections.max.idle.ms", "200");
    if (!loginClass.isEmpty()) {
      configs.put("sasl.login.class", loginClass);
    }
    return configs;
  }

  private static Set<String> topics(Admin admin) throws Exception {
    return admin.listTopics().names().get(30, TimeUnit.SECONDS);
  }

  private static void send(DecantProducer<String, String> producer, String topic) throws Exception {
    producer.send(new ProducerRecord<>(topic, "key", "value")).get(30, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "dev.decant.kafka.apache.AdminBesideTest$CountedLogin"})
  void adminAndClientsShareAConfigurationAndNotTheirEnds(String loginClass) throws Exception {
    assumeThat(AppInfoParser.getVersion().startsWith("3.7.") && Runtime.version().feature() >= 24)
        .as("Apache's admin of 3.7 cannot log in: it calls a method that throws from JDK 24 on").isFalse();
    Map<String, Object> configs = configs(loginClass);
    String topic = "payments" + loginClass.length();
    TopicPartition only = new TopicPartition(topic, 0);
    configs.put("group.id", topic);
    try (Admin admin = Admin.create(configs)) {
      admin.createTopics(Set.of(new NewTopic(topic, Optional.of(1), Optional.empty()))).all().get(30, TimeUnit.SECONDS);
      try (DecantProducer<String, String> producer = new DecantProducer<>(configs);
          DecantConsumer<String, String> consumer = new DecantConsumer<>(configs)) {
        send(producer, topic);
        try (Admin another = Admin.create(configs)) {
          assertThat(topics(another)).contains(topic);
        }
        consumer.subscribe(List.of(topic));
        assertThat(ReadsFromCluster.values(consumer, 1)).containsExactly("value");
        consumer.commitSync();
        send(producer, topic);
      }
      assertThat(admin.listConsumerGroupOffsets(topic).partitionsToOffsetAndMetadata().get(30, TimeUnit.SECONDS))
          .containsEntry(only, new OffsetAndMetadata(1, Optional.of(0), ""));
      assertThat(topics(admin)).contains(topic);
      try (DecantProducer<String, String> later = new DecantProducer<>(configs)) {
        send(later, topic);
      }
    }
    assertThat(CountedLogin.OPEN).as("logins that nobody has closed").hasValue(0);
  }
}
