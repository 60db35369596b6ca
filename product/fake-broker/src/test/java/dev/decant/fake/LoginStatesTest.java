package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchRequest.FetchTopic;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which requests brokers accept before, during and after a login, one by one. */
@Timeout(60)
class LoginStatesTest {
  private static final String PLAIN = "PLAIN";

  private static FakeCluster start() {
    return builder().start();
  }

  private static FakeClusterBuilder builder() {
    return FakeCluster.builder().topic("orders", 1).sasl().user("alice", "right").user("bob", "other");
  }

  private static SaslHandshakeResponse handshake(RawClient client, int version, String mechanism)
      throws IOException {
    return client.ask(ApiKey.SASL_HANDSHAKE, version, new SaslHandshakeRequest().mechanism(mechanism)::write,
        SaslHandshakeResponse::read);
  }

  private static SaslAuthenticateRequest message(String text) {
    return new SaslAuthenticateRequest().authBytes(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static SaslAuthenticateResponse authenticate(RawClient client, int version, String message)
      throws IOException {
    return client.ask(ApiKey.SASL_AUTHENTICATE, version, message(message)::write, SaslAuthenticateResponse::read);
  }

  private static MetadataResponse metadata(RawClient client) throws IOException {
    return client.ask(ApiKey.METADATA, 9, new MetadataRequest().topics(List.of())::write, MetadataResponse::read);
  }

  private static void assertEnded(RawClient client) {
    assertThat(client.isEnded()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "2"})
  void aClientLogsInWithEachVersion(int version) throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 1, PLAIN)).satisfies(response -> {
        assertThat(response.errorCode()).isZero();
        assertThat(response.mechanisms()).containsExactly("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER");
      });
      SaslAuthenticateResponse response = authenticate(client, version, "\0alice\0right");
      assertThat(response.errorCode()).isZero();
      assertThat(response.authBytes().remaining()).isZero();
      assertThat(response.sessionLifetimeMs()).isZero();
      assertThat(metadata(client).brokers()).hasSize(1);
    }
  }

  @Test
  void messagesWithoutHeadersFollowAHandshakeOfVersionZero() throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 0, PLAIN).errorCode()).isZero();
      client.sendBare("\0alice\0right".getBytes(StandardCharsets.UTF_8));
      assertThat(client.receiveBare()).isEmpty();
      assertThat(metadata(client).brokers()).hasSize(1);
    }
  }

  @Test
  void aRefusedLoginWithoutHeadersEndsTheConnection() throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 0, PLAIN).errorCode()).isZero();
      client.sendBare("\0alice\0wrong".getBytes(StandardCharsets.UTF_8));
      assertEnded(client);
    }
  }

  @Test
  void aRefusedLoginEndsTheConnectionBehindTheResponse() throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
      SaslAuthenticateResponse response = authenticate(client, 2, "\0alice\0wrong");
      assertThat(response.errorCode()).isEqualTo(ErrorCode.SASL_AUTHENTICATION_FAILED.code());
      assertEnded(client);
    }
  }

  @Test
  void onlyVersionsAndHandshakeMayComeFirst() throws Exception {
    try (FakeCluster cluster = start()) {
      try (RawClient client = new RawClient(cluster, 1, "raw")) {
        client.send(ApiKey.METADATA, 9, new MetadataRequest().topics(List.of())::write);
        assertEnded(client);
      }
      try (RawClient client = new RawClient(cluster, 1, "raw")) {
        client.send(ApiKey.SASL_AUTHENTICATE, 2, message("\0alice\0right")::write);
        assertEnded(client);
      }
      try (RawClient client = new RawClient(cluster, 1, "raw")) {
        ApiVersionsResponse offered = client.ask(ApiKey.API_VERSIONS, 2, new ApiVersionsRequest()::write,
            ApiVersionsResponse::read);
        assertThat(offered.apiKeys()).extracting("apiKey").contains(ApiKey.SASL_HANDSHAKE.id(),
            ApiKey.SASL_AUTHENTICATE.id());
        client.send(ApiKey.API_VERSIONS, 2, new ApiVersionsRequest()::write);
        assertEnded(client);
      }
      assertThat(cluster.requests(ApiKey.METADATA)).isEmpty();
    }
  }

  @Test
  void otherRequestsInALoginAreRefused() throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
      HeartbeatResponse response = client.ask(ApiKey.HEARTBEAT, 4,
          new HeartbeatRequest().groupId("g").memberId("m")::write, HeartbeatResponse::read);
      assertThat(response.errorCode()).isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
      assertEnded(client);
    }
  }

  @Test
  void aClientWithoutALoginHearsNothingOfTheCluster() throws Exception {
    MetadataRequestTopic byId = new MetadataRequestTopic().name(null);
    try (FakeCluster cluster = start()) {
      try (RawClient client = new RawClient(cluster, 1, "raw")) {
        login(client);
        byId.topicId(client.ask(ApiKey.METADATA, 12, new MetadataRequest().topics(null)::write, MetadataResponse::read)
            .topics().getFirst().topicId());
      }
      for (MetadataRequest request : List.of(new MetadataRequest().topics(null),
          new MetadataRequest().topics(List.of(byId)))) {
        try (RawClient client = new RawClient(cluster, 1, "raw")) {
          assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
          assertThat(client.ask(ApiKey.METADATA, 13, request::write, MetadataResponse::read)).satisfies(response -> {
            assertThat(response.errorCode()).isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
            assertThat(response.brokers()).isEmpty();
            assertThat(response.clusterId()).isNull();
            assertThat(response.topics()).allMatch(topic -> "".equals(topic.name()));
          });
          assertEnded(client);
        }
      }
    }
  }

  /** The broker has room for one session, which a client that has logged in needs. */
  @Test
  void aFetchBeforeTheLoginOpensNoSession() throws Exception {
    FetchRequest fetch = new FetchRequest().maxWaitMs(0).maxBytes(1000).sessionEpoch(0).topics(List.of(new FetchTopic()
        .topic("orders").partitions(List.of(new FetchPartition().partitionMaxBytes(1000)))));
    try (FakeCluster cluster = builder().setting("max.incremental.fetch.session.cache.slots", "1").start();
        RawClient stranger = new RawClient(cluster, 1, "raw");
        RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(stranger, 1, PLAIN).errorCode()).isZero();
      FetchResponse refused = stranger.ask(ApiKey.FETCH, 12, fetch::write, FetchResponse::read);
      assertThat(refused.errorCode()).isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
      assertThat(refused.sessionId()).isZero();
      assertThat(refused.responses().getFirst().partitions().getFirst().errorCode())
          .isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
      assertEnded(stranger);
      login(client);
      assertThat(client.ask(ApiKey.FETCH, 12, fetch::write, FetchResponse::read).sessionId()).isNotZero();
    }
  }

  /** During another login a client has no rights: its fetch neither reads nor moves a session. */
  @Test
  void aFetchInAnotherLoginIsRefusedAndLeavesTheSessionAlone() throws Exception {
    FetchRequest fetch = new FetchRequest().maxWaitMs(0).maxBytes(1000).sessionEpoch(0).topics(List.of(new FetchTopic()
        .topic("orders").partitions(List.of(new FetchPartition().partitionMaxBytes(1000)))));
    try (FakeCluster cluster = start();
        RawClient again = new RawClient(cluster, 1, "raw");
        RawClient client = new RawClient(cluster, 1, "raw")) {
      cluster.clock().stop();
      login(again);
      login(client);
      int session = again.ask(ApiKey.FETCH, 12, fetch::write, FetchResponse::read).sessionId();
      FetchRequest next = new FetchRequest().maxWaitMs(0).maxBytes(1000).sessionId(session).sessionEpoch(1);
      cluster.clock().advance(Duration.ofSeconds(2));
      assertThat(handshake(again, 1, PLAIN).errorCode()).isZero();
      FetchResponse refused = again.ask(ApiKey.FETCH, 12, next::write, FetchResponse::read);
      assertThat(refused.errorCode()).isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
      assertThat(refused.responses()).isEmpty();
      assertEnded(again);
      FetchResponse continued = client.ask(ApiKey.FETCH, 12, next::write, FetchResponse::read);
      assertThat(continued.errorCode()).as("epoch 1 is still the next one").isZero();
    }
  }

  private static void login(RawClient client) throws IOException {
    assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
    assertThat(authenticate(client, 2, "\0alice\0right").errorCode()).isZero();
  }

  @Test
  void anUnknownMechanismIsAnsweredWithTheKnownOnes() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().sasl(PLAIN).start();
        RawClient client = new RawClient(cluster, 1, "raw")) {
      SaslHandshakeResponse response = handshake(client, 1, "GSSAPI");
      assertThat(response.errorCode()).isEqualTo(ErrorCode.UNSUPPORTED_SASL_MECHANISM.code());
      assertThat(response.mechanisms()).containsExactly(PLAIN);
      assertEnded(client);
    }
  }

  @Test
  void brokersWithoutLoginsSaySo() throws Exception {
    try (FakeCluster cluster = FakeCluster.start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 1, PLAIN).errorCode()).isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
      assertThat(authenticate(client, 2, "secret").errorCode()).isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
      assertThat(metadata(client).brokers()).hasSize(1);
    }
  }

  @Test
  void aSessionEndsUnlessTheClientLogsInAgain() throws Exception {
    try (FakeCluster cluster = builder().setting("connections.max.reauth.ms", "60000").start();
        RawClient client = new RawClient(cluster, 1, "raw")) {
      cluster.clock().stop();
      assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
      assertThat(authenticate(client, 2, "\0alice\0right").sessionLifetimeMs()).isEqualTo(60_000);
      assertThat(handshake(client, 1, PLAIN).errorCode()).as("too soon")
          .isEqualTo(ErrorCode.ILLEGAL_SASL_STATE.code());
      cluster.clock().advance(Duration.ofSeconds(61));
      assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
      assertThat(authenticate(client, 2, "\0alice\0right").sessionLifetimeMs()).isEqualTo(60_000);
      assertThat(metadata(client).brokers()).hasSize(1);
      cluster.clock().advance(Duration.ofSeconds(61));
      client.send(ApiKey.METADATA, 9, new MetadataRequest().topics(List.of())::write);
      assertEnded(client);
    }
  }

  @Test
  void anotherLoginHasTheSameMechanismAndUser() throws Exception {
    try (FakeCluster cluster = start()) {
      cluster.clock().stop();
      try (RawClient client = new RawClient(cluster, 1, "raw")) {
        assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
        assertThat(authenticate(client, 2, "\0alice\0right").errorCode()).isZero();
        cluster.clock().advance(Duration.ofSeconds(2));
        assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
        assertThat(authenticate(client, 2, "\0bob\0other").errorMessage())
            .isEqualTo("Cannot change principals during re-authentication from User.alice: User.bob");
        assertEnded(client);
      }
      try (RawClient client = new RawClient(cluster, 1, "raw")) {
        assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
        assertThat(authenticate(client, 2, "\0alice\0right").errorCode()).isZero();
        cluster.clock().advance(Duration.ofSeconds(2));
        assertThat(handshake(client, 1, "SCRAM-SHA-256").errorCode()).isZero();
        assertThat(authenticate(client, 2, "n,,n=alice,r=1").errorMessage()).isEqualTo("SASL mechanism"
            + " 'SCRAM-SHA-256' requested by client is not supported for re-authentication of mechanism 'PLAIN'");
        assertEnded(client);
      }
    }
  }

  @Test
  void aSessionLastsNoLongerThanItsToken() throws Exception {
    try (FakeCluster cluster = builder().setting("connections.max.reauth.ms", "3600000").start();
        RawClient client = new RawClient(cluster, 1, "raw")) {
      cluster.clock().stop();
      cluster.security().token("t", "alice", cluster.clock().now().plusSeconds(90));
      assertThat(handshake(client, 1, "OAUTHBEARER").errorCode()).isZero();
      assertThat(authenticate(client, 2, "n,,\u0001auth=Bearer t\u0001\u0001").sessionLifetimeMs()).isEqualTo(90_000);
    }
  }

  @Test
  void aFrameBeforeTheLoginIsBounded() throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      client.sendLength((512 << 10) + 1);
      assertEnded(client);
    }
  }

  @Test
  void aClientThatDoesNotLogInIsDisconnected() throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      cluster.clock().stop();
      assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
      cluster.clock().advance(Duration.ofMinutes(2));
      assertEnded(client);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\0", "\0\0\0\0\0", "alice", "n,,", "n,,n=alice", "n,,n=alice,r=", "y,,n=alice,r=x",
      "\u0001", "n,,\u0001auth=Bearer \u0001\u0001", "n,,\u0001a=b\u0001a=b\u0001auth=basic x\u0001\u0001"})
  void malformedMessagesAreRefused(String text) throws Exception {
    try (FakeCluster cluster = start()) {
      for (String mechanism : List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")) {
        try (RawClient client = new RawClient(cluster, 1, "raw")) {
          assertThat(handshake(client, 1, mechanism).errorCode()).isZero();
          assertThat(authenticate(client, 2, text).errorCode())
              .isEqualTo(ErrorCode.SASL_AUTHENTICATION_FAILED.code());
          assertEnded(client);
        }
      }
    }
  }

  @Test
  void longMessagesAreRefusedAsShortOnesAre() throws Exception {
    String many = "a=b\u0001".repeat(10_000);
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 1, "OAUTHBEARER").errorCode()).isZero();
      assertThat(authenticate(client, 2, "n,,\u0001" + many).errorCode())
          .isEqualTo(ErrorCode.SASL_AUTHENTICATION_FAILED.code());
    }
  }

  @Test
  void theProofOfAnotherPasswordIsRefused() throws Exception {
    try (FakeCluster cluster = start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(handshake(client, 1, "SCRAM-SHA-256").errorCode()).isZero();
      SaslAuthenticateResponse first = authenticate(client, 2, "n,,n=alice,r=abc");
      String text = StandardCharsets.UTF_8.decode(first.authBytes()).toString();
      assertThat(text).startsWith("r=abc").contains(",i=4096");
      String nonce = text.substring(2, text.indexOf(','));
      SaslAuthenticateResponse last = authenticate(client, 2, "c=biws,r=" + nonce + ",p=AAAA");
      assertThat(last.errorMessage()).isEqualTo(
          "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-256");
      assertEnded(client);
    }
  }

  /** A journal with passwords would show them in the message of each failing test. */
  @Test
  void secretsStayOutOfTheJournal() throws Exception {
    try (FakeCluster cluster = builder().token("secret-token", "alice", Instant.now().plusSeconds(60)).start()) {
      for (int version = 0; version <= 2; version++) {
        try (RawClient client = new RawClient(cluster, 1, "raw")) {
          assertThat(handshake(client, 1, "OAUTHBEARER").errorCode()).isZero();
          assertThat(authenticate(client, version, "n,,\u0001auth=Bearer secret-token\u0001\u0001").errorCode())
              .isZero();
        }
        try (RawClient client = new RawClient(cluster, 1, "raw")) {
          assertThat(handshake(client, 1, PLAIN).errorCode()).isZero();
          assertThat(authenticate(client, version, "\0alice\0right").errorCode()).isZero();
        }
      }
      assertThat(cluster.requests(ApiKey.SASL_AUTHENTICATE)).hasSize(6).allSatisfy(request -> {
        assertThat(((SaslAuthenticateRequest) request.body()).authBytes().remaining()).isZero();
        assertThat(request.toString()).doesNotContain("right").doesNotContain("secret-token");
      });
    }
  }
}
