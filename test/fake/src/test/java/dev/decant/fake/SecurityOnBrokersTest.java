package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.decant.fake.security.AccessRule;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same requests to a real broker and to the fake: both say the same of logins and rights. */
@Tag("full")
@Timeout(120)
class SecurityOnBrokersTest {
  private static final Listener LISTENER = Listener.builder("LOGIN").plain("alice", "right").build();
  private static KafkaCluster cluster;
  private static FakeCluster fake;
  private static Admin admin;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    fake = FakeCluster.builder().topic("orders", 1).topic("other", 1).start();
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
    fake.close();
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
      "dev.decant.fake.RightsTest#groups", "dev.decant.fake.RightsTest#shares",
      "dev.decant.fake.RightsTest#transactions"})
  void brokersHaveTheSameError(ApiKey api, int version, RightsTest.Denied denied, RightsTest.Case asked)
      throws Exception {
    Operation ofCluster = RightsTest.operationOfCluster(api, denied.operation());
    List<AclBinding> rules = Stream.of(denied.resource().rule("User:alice", denied.operation(), false),
        Resource.cluster().rule("User:alice", ofCluster, false)).distinct().map(SecurityOnBrokersTest::binding)
        .toList();
    set(rules, true);
    try (RawClient client = login(); RawClient ofFake = new RawClient(fake, 1, "raw")) {
      RightsTest.Answer answer = asked.ask(client);
      assertThat(answer.error()).isEqualTo(denied.error().code());
      fake.security().deny("User:ANONYMOUS", denied.resource(), denied.operation());
      fake.security().deny("User:ANONYMOUS", Resource.cluster(), ofCluster);
      assertThat(withoutOwn(asked.ask(ofFake).text())).isEqualTo(withoutOwn(answer.text()));
    } finally {
      set(rules, false);
      fake.security().remove("User:ANONYMOUS", denied.resource(), denied.operation());
      fake.security().remove("User:ANONYMOUS", Resource.cluster(), ofCluster);
    }
  }

  @ParameterizedTest
  @MethodSource({"dev.decant.fake.RightsTest#records", "dev.decant.fake.RightsTest#topics",
      "dev.decant.fake.RightsTest#groups", "dev.decant.fake.RightsTest#shares",
      "dev.decant.fake.RightsTest#transactions"})
  void brokersSayTheSameInTheMiddleOfALogin(ApiKey api, int version, RightsTest.Denied denied, RightsTest.Case asked)
      throws Exception {
    try (FakeCluster own = FakeCluster.builder().topic("orders", 1).sasl("PLAIN").start();
        RawClient ofFake = new RawClient(own, 1, "raw");
        RawClient client = new RawClient(port, "raw")) {
      handshake(client, 1, "PLAIN", new ArrayList<>());
      handshake(ofFake, 1, "PLAIN", new ArrayList<>());
      Assumptions.assumeTrue(api != ApiKey.PRODUCE, "brokers end the connection of a Produce request without records");
      assertThat(withoutWords(asked.ask(ofFake).text())).isEqualTo(withoutWords(asked.ask(client).text()));
    }
  }

  private static String withoutWords(String response) {
    return response.replaceAll("errorMessage=.*?(?=, [a-zA-Z]+=|\\))", "errorMessage=words");
  }

  @ParameterizedTest
  @MethodSource("stories")
  void brokersTellTheSameOfGroupsAndTheirTopics(String name, GroupRightsTest.Story story) throws Exception {
    GroupRightsTest.Rules rules = new GroupRightsTest.Rules() {
      @Override
      public void deny(Resource resource, Operation... operations) throws Exception {
        set(denials(resource, operations), true);
      }

      @Override
      public void remove(Resource resource, Operation... operations) throws Exception {
        set(denials(resource, operations), false);
      }
    };
    List<Object> real;
    try (RawClient client = login()) {
      real = story.tell(client, rules);
    }
    try (FakeCluster own = FakeCluster.builder().topic("orders", 1).topic("other", 1).start();
        RawClient client = new RawClient(own, 1, "raw")) {
      List<Object> faked = story.tell(client, GroupRightsTest.ofFake(own, "User:ANONYMOUS"));
      assertThat(faked).hasSameSizeAs(real);
      SoftAssertions.assertSoftly(softly -> {
        for (int i = 0; i < real.size(); i++) {
          softly.assertThat(parts(faked.get(i))).isEqualTo(parts(real.get(i)));
        }
      });
    }
  }

  /** The parts of a response, whose order is that of a hash table for some APIs. */
  private static List<String> parts(Object response) {
    return Stream.of(withoutIds(response).split("(?<![A-Za-z])(?=[A-Z][A-Za-z]+\\()"))
        .map(part -> part.replaceAll("[\\[\\]()]", "").replaceAll("(, ?[A-Za-z]*=?)+$", "")).sorted().toList();
  }

  static Stream<Arguments> stories() {
    return Stream.of(arguments("offsets of share groups", (GroupRightsTest.Story) GroupRightsTest::shareOffsets),
        arguments("descriptions", (GroupRightsTest.Story) GroupRightsTest::descriptions),
        arguments("a pattern", (GroupRightsTest.Story) GroupRightsTest::pattern),
        arguments("a share fetch", (GroupRightsTest.Story) GroupRightsTest::shareFetch),
        arguments("some of a request", (GroupRightsTest.Story) MixedRights::tell));
  }

  private static List<AclBinding> denials(Resource resource, Operation... operations) {
    return Stream.of(operations).map(operation -> binding(resource.rule("User:alice", operation, false))).toList();
  }

  /** A response without ids of topics other than that of none, and without epochs, of which brokers take some more. */
  private static String withoutIds(Object response) {
    return response.toString().replaceAll("topicId=(?!AAAAAAAAAAAAAAAAAAAAAA)[^,]*", "topicId=some")
        .replaceAll("host=[^,]*, port=[0-9]*", "host").replaceAll("brokers=\\[.*?\\], clusterId=[^,]*", "brokers")
        .replaceAll("(groupEpoch|assignmentEpoch|memberEpoch)=[1-9][0-9]*", "$1=some");
  }

  /** A response without the addresses of brokers, the id of the cluster, and a message with the hash of an object. */
  private static String withoutOwn(String response) {
    return response.replaceAll("errorMessage=Request Request.*? permission\\.", "errorMessage=words of the JVM")
        .replaceAll("(DescribeAcls.*)errorMessage=[^,]*", "$1errorMessage=words of the JVM")
        .replaceAll("(PartitionReassign.*?|ReassignablePartition.*?)errorMessage=[^,)]*",
            "$1errorMessage=words of the JVM")
        .replaceAll("brokers=\\[.*?\\], clusterId=[^,]*", "brokers");
  }

  /** What happens on one connection. */
  interface Story {
    void tell(RawClient client, List<String> happened) throws Exception;
  }

  private static void handshake(RawClient client, int version, String mechanism, List<String> happened)
      throws Exception {
    happened.add(client.ask(ApiKey.SASL_HANDSHAKE, version, new SaslHandshakeRequest().mechanism(mechanism)::write,
        SaslHandshakeResponse::read).toString());
  }

  private static void message(RawClient client, int version, String text, List<String> happened) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    happened.add(client.ask(ApiKey.SASL_AUTHENTICATE, version,
        new SaslAuthenticateRequest().authBytes(ByteBuffer.wrap(bytes))::write, SaslAuthenticateResponse::read)
        .toString());
  }

  private static void versions(RawClient client, int version, List<String> happened) throws Exception {
    ApiVersionsRequest request = new ApiVersionsRequest().clientSoftwareName("raw").clientSoftwareVersion("1");
    happened.add("" + client.ask(ApiKey.API_VERSIONS, version, request::write, ApiVersionsResponse::read)
        .errorCode());
  }

  static Stream<Arguments> logins() {
    Stream<Arguments> refused = Stream.of("", "\0", "alice", "\0\0right", "\0alice\0", "\0alice\0wrong",
        "\0bob\0right", "bob\0alice\0right", "\0alice\0right\0").map(text -> story("refused", (client, happened) -> {
          handshake(client, 1, "PLAIN", happened);
          message(client, 2, text, happened);
          happened.add("ended " + client.isEnded());
        }));
    Stream<Arguments> others = Stream.of(story("each version of messages", (client, happened) -> {
      versions(client, 3, happened);
      handshake(client, 1, "PLAIN", happened);
      message(client, 0, "alice\0alice\0right", happened);
      versions(client, 3, happened);
    }), story("an unknown mechanism", (client, happened) -> {
      handshake(client, 1, "GSSAPI", happened);
      happened.add("ended " + client.isEnded());
    }), story("another request in a login", (client, happened) -> {
      handshake(client, 1, "PLAIN", happened);
      happened.add(client.ask(ApiKey.HEARTBEAT, 4, new HeartbeatRequest().groupId("g").memberId("m")::write,
          HeartbeatResponse::read).toString());
      happened.add("ended " + client.isEnded());
    }), story("another request before a login", (client, happened) -> {
      client.send(ApiKey.HEARTBEAT, 4, new HeartbeatRequest().groupId("g").memberId("m")::write);
      happened.add("ended " + client.isEnded());
    }), story("a message before the mechanism", (client, happened) -> {
      client.send(ApiKey.SASL_AUTHENTICATE, 2, new SaslAuthenticateRequest()::write);
      happened.add("ended " + client.isEnded());
    }), story("versions twice", (client, happened) -> {
      versions(client, 3, happened);
      client.send(ApiKey.API_VERSIONS, 2, new ApiVersionsRequest()::write);
      happened.add("ended " + client.isEnded());
    }), story("a second login at once", (client, happened) -> {
      handshake(client, 1, "PLAIN", happened);
      message(client, 2, "\0alice\0right", happened);
      handshake(client, 1, "PLAIN", happened);
      message(client, 2, "\0alice\0right", happened);
      versions(client, 3, happened);
    }), story("messages without headers", (client, happened) -> {
      handshake(client, 0, "PLAIN", happened);
      client.sendBare("\0alice\0right".getBytes(StandardCharsets.UTF_8));
      happened.add("" + client.receiveBare().length);
      versions(client, 3, happened);
    }), story("a wrong message without headers", (client, happened) -> {
      handshake(client, 0, "PLAIN", happened);
      client.sendBare("\0alice\0wrong".getBytes(StandardCharsets.UTF_8));
      happened.add("ended " + client.isEnded());
    }), story("a frame that is too long", (client, happened) -> {
      client.sendLength((512 << 10) + 1);
      happened.add("ended " + client.isEnded());
    }));
    return Stream.concat(refused, others);
  }

  private static Arguments story(String name, Story story) {
    return arguments(name, story);
  }

  @ParameterizedTest
  @MethodSource("logins")
  void brokersTakeLoginsAsTheFakeDoes(String name, Story story) throws Exception {
    List<String> real = new ArrayList<>();
    try (RawClient client = new RawClient(port, "raw")) {
      story.tell(client, real);
    }
    List<String> faked = new ArrayList<>();
    try (FakeCluster fake = FakeCluster.builder().sasl("PLAIN").user("alice", "right").start();
        RawClient client = new RawClient(fake, 1, "raw")) {
      story.tell(client, faked);
    }
    assertThat(faked).isEqualTo(real);
  }
}
