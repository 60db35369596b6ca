package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.security.AccessRule;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases of {@link RightsTest} on a real broker: the fake says what brokers say. */
@Tag("full")
@Timeout(120)
class RightsOnBrokersTest {
  private static final Listener LISTENER = Listener.builder("LOGIN").plain("alice", "right").build();
  private static KafkaCluster cluster;
  private static Admin admin;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    cluster = KafkaCluster.builder().listener(LISTENER).authorizer().start();
    cluster.createTopics(List.of("orders", "other"), 1);
    admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
    admin.listConsumerGroupOffsets("billing").all().get(); // as soon as its coordinator is there
    String address = cluster.bootstrap(LISTENER);
    port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    set(Stream.of(Resource.anyTopic(), Resource.anyGroup(), Resource.anyTransactionalId(), Resource.cluster())
        .map(resource -> binding(resource.rule("User:alice", Operation.ALL, true))).toList(), true);
  }

  @AfterAll
  static void close() {
    admin.close();
    cluster.close();
  }

  private static AclBinding binding(AccessRule rule) {
    return new AclBinding(
        new ResourcePattern(ResourceType.fromCode((byte) rule.resourceType()), rule.name(),
            PatternType.fromCode((byte) rule.pattern())),
        new AccessControlEntry(rule.principal(), rule.host(), AclOperation.fromCode((byte) rule.operation()),
            rule.isAllow() ? AclPermissionType.ALLOW : AclPermissionType.DENY));
  }

  /** The broker follows the controller a little later: a filter of exactly this rule says when. */
  private static void set(List<AclBinding> rules, boolean there) throws Exception {
    if (there) {
      admin.createAcls(rules).all().get();
    } else {
      admin.deleteAcls(rules.stream().map(AclBinding::toFilter).toList()).all().get();
    }
    for (AclBinding rule : rules) {
      while (admin.describeAcls(rule.toFilter()).values().get().isEmpty() == there) { // bounded by @Timeout
        Thread.onSpinWait();
      }
    }
  }

  private static RawClient login() throws Exception {
    RawClient client = new RawClient(port, "raw");
    assertThat(client.ask(ApiKey.SASL_HANDSHAKE, 1, new SaslHandshakeRequest().mechanism("PLAIN")::write,
        SaslHandshakeResponse::read).errorCode()).isZero();
    byte[] message = "\0alice\0right".getBytes(StandardCharsets.UTF_8);
    assertThat(client.ask(ApiKey.SASL_AUTHENTICATE, 2,
        new SaslAuthenticateRequest().authBytes(ByteBuffer.wrap(message))::write, SaslAuthenticateResponse::read)
        .errorCode()).isZero();
    return client;
  }

  @ParameterizedTest
  @MethodSource({"dev.decant.fake.RightsTest#records", "dev.decant.fake.RightsTest#topics",
      "dev.decant.fake.RightsTest#groups", "dev.decant.fake.RightsTest#transactions"})
  void brokersHaveTheSameError(ApiKey api, int version, RightsTest.Denied denied, RightsTest.Case asked)
      throws Exception {
    Operation ofCluster = RightsTest.operationOfCluster(api, denied.operation());
    List<AclBinding> rules = Stream.of(denied.resource().rule("User:alice", denied.operation(), false),
        Resource.cluster().rule("User:alice", ofCluster, false)).distinct().map(RightsOnBrokersTest::binding).toList();
    set(rules, true);
    try (RawClient client = login()) {
      assertThat(asked.error(client)).isEqualTo(denied.error().code());
    } finally {
      set(rules, false);
    }
  }
}
