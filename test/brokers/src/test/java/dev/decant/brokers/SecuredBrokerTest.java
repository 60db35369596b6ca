package dev.decant.brokers;

import static dev.decant.brokers.SecuredCluster.ALICE_SECRET;
import static dev.decant.brokers.SecuredCluster.AUTHORITY;
import static dev.decant.brokers.SecuredCluster.BOB_SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.TestAuthority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.token.delegation.DelegationToken;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Our client and Apache's with the same properties, at the same secured listeners of a real broker. */
@Timeout(120)
@ExtendWith({QuietLog.class, SecuredCluster.Shared.class})
class SecuredBrokerTest {
  private static final Duration LATER = Duration.ofSeconds(30);
  private static final String WRONG = "planted-wrong-5d1c";
  private static final Duration A_WHILE = Duration.ofMillis(200);
  /** What a broker says whose client has sent no certificate, by its JDK. */
  private static final String CERTIFICATE_ALERT = Runtime.version().feature() < 25
      ? "bad_certificate"
      : "certificate_required";

  private final SecuredCluster secured = SecuredCluster.current();

  /** The ways to be let in. */
  enum Way {
    TLS, MUTUAL_TLS, PLAIN, SCRAM_SHA_256, SCRAM_SHA_512, SCRAM_WITHOUT_TLS, OAUTHBEARER, DELEGATION_TOKEN
  }

  private Map<String, Object> properties(Way way) throws Exception {
    return switch (way) {
      case TLS -> secured.properties(SecuredCluster.TLS);
      case MUTUAL_TLS -> secured.mutual(SecuredCluster.MUTUAL, AUTHORITY.client("carol"));
      case PLAIN -> secured.plain(secured.sasl, "alice", ALICE_SECRET);
      case SCRAM_SHA_256 -> secured.scram(secured.sasl, "SCRAM-SHA-256", "bob", BOB_SECRET);
      case SCRAM_SHA_512 -> secured.scram(secured.sasl, "SCRAM-SHA-512", "bob", BOB_SECRET);
      case SCRAM_WITHOUT_TLS -> secured.scram(SecuredCluster.UNENCRYPTED, "SCRAM-SHA-512", "bob", BOB_SECRET);
      case OAUTHBEARER -> secured.oauth(secured.sasl, "alice", ALICE_SECRET);
      case DELEGATION_TOKEN -> {
        try (Admin admin = Admin.create(secured.scram(secured.sasl, "SCRAM-SHA-256", "bob", BOB_SECRET))) {
          DelegationToken token = admin.createDelegationToken().delegationToken().get();
          while (admin.describeDelegationToken().delegationTokens().get().stream()
              .noneMatch(known -> known.tokenInfo().tokenId().equals(token.tokenInfo().tokenId()))) {
            Thread.onSpinWait(); // the broker has it a moment after the controller
          }
          yield secured.delegationToken(secured.sasl, token.tokenInfo().tokenId(), token.hmacAsBase64String());
        }
      }
    };
  }

  private static Map<String, Object> with(Map<String, Object> properties, String... more) {
    Map<String, Object> all = new HashMap<>(properties);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  static List<String> read(Consumer<String, String> consumer, int count) throws InterruptedException {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(A_WHILE, record -> values.add(record.value()));
    }
    return values;
  }

  static List<String> readWithApache(Map<String, Object> properties, String topic, int count) {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
        with(properties, "auto.offset.reset", "earliest", "isolation.level", "read_committed"),
        new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      while (values.size() < count && deadline - System.nanoTime() > 0) {
        consumer.poll(A_WHILE).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }

  @Test
  void oursAndApachesClientReadEachOthersRecordsAfterScramOverTls() throws Exception {
    readEachOthersRecords(Way.SCRAM_SHA_512);
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SCRAM_SHA_512")
  void oursAndApachesClientReadEachOthersRecords(Way way) throws Exception {
    readEachOthersRecords(way);
  }

  private void readEachOthersRecords(Way way) throws Exception {
    String topic = secured.cluster.createTopic(1);
    Map<String, Object> properties = properties(way);
    try (KafkaClient client = KafkaClient.fromProperties(properties);
        Producer<String, String> ours = client.producer(Serdes.string(), Serdes.string()).topic(topic).open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      assertThat(ours.sendAndWait("k", "ours").offset()).isZero();
      try (KafkaProducer<String, String> theirs = new KafkaProducer<>(properties, new StringSerializer(),
          new StringSerializer())) {
        assertThat(theirs.send(new ProducerRecord<>(topic, "k", "theirs")).get().offset()).isEqualTo(1);
      }
      consumer.assign(topic, 0);
      assertThat(read(consumer, 2)).containsExactly("ours", "theirs");
      assertThat(client.status().isReady()).isTrue();
    }
    assertThat(readWithApache(properties, topic, 2)).containsExactly("ours", "theirs");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void groupsOfBothProtocolsShareATopicWithApachesMemberOverSaslSsl(String protocol) throws Exception {
    String topic = secured.cluster.createTopic(2);
    String group = "group-of-" + topic;
    Map<String, Object> properties = with(secured.scram(secured.sasl, "SCRAM-SHA-512", "bob", BOB_SECRET),
        "group.id", group, "group.protocol", protocol, "auto.offset.reset", "earliest");
    try (KafkaClient client = KafkaClient.fromProperties(properties);
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(topic).open()) {
      producer.send("a", "one");
      assertThat(producer.flush(LATER)).isTrue();
      try (Consumer<String, String> member = client.consumer(Serdes.string(), Serdes.string()).subscribe(topic)
          .open()) {
        assertThat(read(member, 1)).containsExactly("one");
        member.commit();
      }
      producer.send("a", "two");
      assertThat(producer.flush(LATER)).isTrue();
    }
    try (KafkaConsumer<String, String> apache = new KafkaConsumer<>(properties, new StringDeserializer(),
        new StringDeserializer())) {
      apache.subscribe(List.of(topic));
      List<String> values = new ArrayList<>();
      long deadline = System.nanoTime() + LATER.toNanos();
      while (values.isEmpty() && deadline - System.nanoTime() > 0) {
        apache.poll(A_WHILE).forEach(record -> values.add(record.value()));
      }
      assertThat(values).containsExactly("two");
    }
  }

  @Tag("full")
  @Test
  void transactionsCommitAndAbortOverSaslSsl() throws Exception {
    String topic = secured.cluster.createTopic(1);
    Map<String, Object> properties = secured.oauth(secured.sasl, "alice", ALICE_SECRET);
    try (KafkaClient client = KafkaClient.fromProperties(properties);
        Transactions transactions = client.transactions("tx-of-" + topic).open();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(topic)
            .transactions(transactions).open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .isolationLevel(IsolationLevel.READ_COMMITTED).offsetReset(OffsetReset.EARLIEST).open()) {
      transactions.begin();
      producer.sendAndWait("k", "aborted");
      transactions.abort(LATER);
      transactions.begin();
      producer.send("k", "committed");
      transactions.commit(LATER);
      consumer.assign(topic, 0);
      assertThat(read(consumer, 1)).containsExactly("committed");
    }
    assertThat(readWithApache(properties, topic, 1)).containsExactly("committed");
  }

  /** A way to be turned away, and what is told of it. */
  record Refusal(String name, Map<String, Object> properties, List<String> told) {
    String[] words() {
      return told.toArray(String[]::new);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Refusal> refusals() {
    SecuredCluster of = SecuredCluster.current();
    Map<String, Object> strange = of.properties(SecuredCluster.TLS);
    strange.remove("ssl.truststore.location");
    strange.put("ssl.truststore.certificates", TestAuthority.create("Strange Authority").pem());
    Map<String, Object> notEnabled = of.scram(SecuredCluster.ELSEWHERE, "SCRAM-SHA-512", "bob", BOB_SECRET);
    notEnabled.put("ssl.endpoint.identification.algorithm", "");
    Map<String, Object> otherAudience = of.oauth(of.sasl, "alice", ALICE_SECRET);
    otherAudience.put("sasl.oauthbearer.token.endpoint.url",
        of.writeToken("other.jwt", of.tokens.token("alice", "other", LATER)));
    return Stream.of(
        new Refusal("PLAIN with a wrong password", of.plain(of.sasl, "alice", WRONG),
            List.of("PLAIN", "SASL_AUTHENTICATION_FAILED", "Authentication failed: Invalid username or password")),
        new Refusal("SCRAM with an unknown user", of.scram(of.sasl, "SCRAM-SHA-512", "mallory", WRONG),
            List.of("SASL_AUTHENTICATION_FAILED", "due to invalid credentials with SASL mechanism SCRAM-SHA-512")),
        new Refusal("a mechanism that is not enabled", notEnabled,
            List.of("does not have the SASL mechanism SCRAM-SHA-512", "it has [PLAIN]")),
        new Refusal("OAUTHBEARER with a wrong secret", of.oauth(of.sasl, "alice", WRONG),
            List.of(of.tokens.uri() + " refuses with status 401: invalid_client (client id or secret is wrong)")),
        new Refusal("OAUTHBEARER with a token for others", otherAudience, List.of("OAUTHBEARER", "invalid_token")),
        new Refusal("a delegation token that is none", of.delegationToken(of.sasl, "no-such-token", WRONG),
            List.of("SASL_AUTHENTICATION_FAILED", "due to invalid credentials with SASL mechanism SCRAM-SHA-256")),
        new Refusal("no client certificate", of.properties(SecuredCluster.MUTUAL),
            List.of(CERTIFICATE_ALERT, "it wants a certificate, and none was sent")),
        new Refusal("a client certificate of another authority",
            of.mutual(SecuredCluster.MUTUAL, TestAuthority.create("Strange Authority").client("carol")),
            List.of("the peer sent the alert")),
        new Refusal("an authority that is not trusted", strange,
            List.of("certificate [CN=localhost] does not lead to a trusted one", "[CN=Test Authority]")),
        new Refusal("another host", of.plain(SecuredCluster.ELSEWHERE, "alice", ALICE_SECRET),
            List.of("certificate [CN=broker.example.com] is not for 127.0.0.1; it is for broker.example.com")));
  }

  @Test
  void wrongPasswordReachesOpenAtOnceInTheBrokersWords() {
    isTold(new Refusal("SCRAM with a wrong password", secured.scram(secured.sasl, "SCRAM-SHA-256", "bob", WRONG),
        List.of("SASL_AUTHENTICATION_FAILED", "due to invalid credentials with SASL mechanism SCRAM-SHA-256")));
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("refusals")
  void refusalReachesOpenAtOnceInTheBrokersWords(Refusal refusal) {
    isTold(refusal);
  }

  private static void isTold(Refusal refusal) {
    try (KafkaClient client = KafkaClient.fromProperties(refusal.properties())) {
      Throwable thrown = catchThrowable(
          () -> client.producer(Serdes.string(), Serdes.string()).topic("orders").open().close());
      assertThat(thrown).isInstanceOf(AuthenticationException.class).hasMessageContainingAll(refusal.words());
      for (Throwable t = thrown; t != null; t = t.getCause()) {
        assertThat(t.toString()).doesNotContain(WRONG, ALICE_SECRET, BOB_SECRET);
      }
    }
  }

  /** What a port of the other kind makes of a client: told after the time that the client waits for any broker. */
  @Tag("full")
  @Test
  void portOfTheOtherKindIsNamedAsOne() {
    Map<String, Object> plainAtTls = Map.of("bootstrap.servers", secured.cluster.bootstrap(SecuredCluster.TLS));
    Map<String, Object> tlsAtPlain = secured.properties(SecuredCluster.TLS);
    tlsAtPlain.put("bootstrap.servers", secured.cluster.bootstrap());
    assertThat(openFor(plainAtTls, Duration.ofSeconds(1))).isInstanceOf(KafkaTimeoutException.class)
        .hasMessageContaining("a port that expects TLS");
    assertThat(openFor(tlsAtPlain, Duration.ofSeconds(1))).isInstanceOf(KafkaTimeoutException.class)
        .hasMessageContaining("does not speak TLS");
  }

  private static @Nullable Throwable openFor(Map<String, Object> properties, Duration wait) {
    try (KafkaClient client = KafkaClient.fromProperties(properties)) {
      return catchThrowable(() -> client.producer(Serdes.string(), Serdes.string()).topic("orders").maxBlock(wait)
          .open().close());
    }
  }

  @Tag("full")
  @Test
  void rulesThatDenyReachTheCallerByTheBrokersNames() throws Exception {
    String topic = secured.cluster.createTopic(1);
    secured.cluster.allow("User:alice", "ALL", "TOPIC", topic);
    secured.cluster.allow("User:bob", "DESCRIBE", "TOPIC", topic);
    secured.cluster.deny("User:bob", "READ", "GROUP", "denied-group");
    secured.cluster.deny("User:bob", "WRITE", "TRANSACTIONAL_ID", "denied-id");
    try (KafkaClient alice = KafkaClient.fromProperties(secured.plain(secured.sasl, "alice", ALICE_SECRET));
        KafkaClient bob = KafkaClient
            .fromProperties(secured.scram(secured.sasl, "SCRAM-SHA-512", "bob", BOB_SECRET))) {
      try (Producer<String, String> producer = alice.producer(Serdes.string(), Serdes.string()).topic(topic).open()) {
        producer.sendAndWait("k", "v");
      }
      try (Producer<String, String> producer = bob.producer(Serdes.string(), Serdes.string()).topic(topic).open()) {
        assertCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED, () -> producer.sendAndWait("k", "v"));
      }
      try (Consumer<String, String> consumer = bob.consumer(Serdes.string(), Serdes.string()).open()) {
        consumer.assign(topic, 0);
        assertCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED, () -> consumer.poll(LATER, record -> {}));
      }
      try (Consumer<String, String> member = bob.consumer(Serdes.string(), Serdes.string()).group("denied-group")
          .subscribe(topic).open()) {
        assertCode(ErrorCode.GROUP_AUTHORIZATION_FAILED, () -> member.poll(LATER, record -> {}));
      }
      String hidden = secured.cluster.createTopic(1);
      secured.cluster.allow("User:alice", "ALL", "TOPIC", hidden);
      assertCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED,
          () -> bob.producer(Serdes.string(), Serdes.string()).topic(hidden).open().close());
      assertCode(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, () -> bob.transactions("denied-id").open().close());
    }
  }

  /** A member that was refused used to join as another one, when the group had forgotten the former one: after 45 s. */
  @Tag("full")
  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void memberReadsOnAsTheSameOneWhenItIsGivenItsRightsBack(GroupProtocol protocol) throws Exception {
    String topic = secured.cluster.createTopic(1);
    String group = "rights-" + topic;
    secured.cluster.allow("User:alice", "ALL", "TOPIC", topic);
    secured.cluster.allow("User:alice", "ALL", "GROUP", group);
    try (KafkaClient alice = KafkaClient.fromProperties(secured.plain(secured.sasl, "alice", ALICE_SECRET));
        Producer<String, String> producer = alice.producer(Serdes.string(), Serdes.string()).topic(topic).open();
        Consumer<String, String> member = member(alice, protocol, group, topic)) {
      producer.sendAndWait("k", "a");
      assertThat(read(member, 1)).containsExactly("a");
      String id = member.groupMetadata().memberId();
      secured.cluster.deny("User:alice", "READ", "GROUP", group);
      long deadline = System.nanoTime() + LATER.toNanos();
      assertCode(ErrorCode.GROUP_AUTHORIZATION_FAILED, () -> {
        while (deadline - System.nanoTime() > 0) {
          member.poll(A_WHILE, record -> {});
        }
      });
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", secured.cluster.bootstrap()))) {
        admin.deleteAcls(List.of(new AclBindingFilter(
            new ResourcePatternFilter(ResourceType.GROUP, group, PatternType.LITERAL),
            new AccessControlEntryFilter("User:alice", "*", AclOperation.READ, AclPermissionType.DENY)))).all().get();
      }
      producer.sendAndWait("k", "b");
      List<String> values = new ArrayList<>();
      boolean committed = false;
      while (!committed) {
        assertThat(deadline - System.nanoTime()).as("time left").isPositive();
        try {
          member.poll(A_WHILE, record -> values.add(record.value()));
          member.commit();
          committed = values.contains("b");
        } catch (KafkaException e) { // the broker knows of the rule a moment longer
          assertThat(e.code()).isEqualTo(ErrorCode.GROUP_AUTHORIZATION_FAILED);
        }
      }
      assertThat(values).containsExactly("b");
      assertThat(member.groupMetadata().memberId()).isEqualTo(id);
    }
  }

  private static Consumer<String, String> member(KafkaClient client, GroupProtocol protocol, String group,
      String topic) {
    ConsumerBuilder<String, String> builder = client.consumer(Serdes.string(), Serdes.string()).group(group)
        .groupProtocol(protocol).offsetReset(OffsetReset.EARLIEST).subscribe(topic);
    return (protocol == GroupProtocol.CLASSIC ? builder.heartbeatInterval(A_WHILE) : builder).open();
  }

  static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThat(catchThrowableOfType(KafkaException.class, call).code()).isEqualTo(code);
  }
}
