package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.BrokerRelease;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.kafka.security.CredentialsProvider;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Tests text of brokers that becomes part of messages. A stranger at the port could once forge lines of a log before
 * authentication, and fill it with 700 kB for each attempt to connect.
 */
class ForeignTextTest extends AgainstScriptedBroker {
  private static final String EVIL = "no\nWARN  forged line \u001b[31m\r\u202eSETTING\u2028";
  private static final int MUCH = 20_000;
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  ForeignTextTest() {
    super(1, LATER);
  }

  private static void assertThatItIsHarmless(Throwable failure) {
    assertThat(failure).isNotNull();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      assertThat(String.valueOf(each.getMessage())).doesNotContainPattern(UNPRINTABLE).hasSizeLessThan(2_000);
    }
  }

  private KafkaClient authenticating() {
    return KafkaClient.builder(address())
        .sasl(Sasl.plain(CredentialsProvider.of("alice", "secret".toCharArray()))).build();
  }

  @Test
  void mechanismsAndWordsOfAnUnknownBroker() {
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> exchange.answer(new SaslHandshakeResponse()
        .errorCode(ErrorCode.UNSUPPORTED_SASL_MECHANISM.code()).mechanisms(Collections.nCopies(MUCH, EVIL))::write));
    try (KafkaClient client = authenticating()) {
      Throwable refused = catchThrowable(() -> client.producer(Serdes.string(), Serdes.string())
          .topic(ScriptedBroker.TOPIC).open());
      assertThat(refused).hasMessageContaining("does not have the SASL mechanism PLAIN");
      assertThatItIsHarmless(refused);
    }
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> exchange.answer(new SaslHandshakeResponse()
        .mechanisms(List.of("PLAIN"))::write));
    broker.always(ApiKey.SASL_AUTHENTICATE, exchange -> exchange.answer(new SaslAuthenticateResponse()
        .errorCode(ErrorCode.SASL_AUTHENTICATION_FAILED.code()).errorMessage(EVIL.repeat(MUCH))::write));
    try (KafkaClient client = authenticating()) {
      Throwable refused = catchThrowable(() -> client.producer(Serdes.string(), Serdes.string())
          .topic(ScriptedBroker.TOPIC).open());
      assertThat(refused).hasMessageContaining("SASL_AUTHENTICATION_FAILED (no?WARN");
      assertThatItIsHarmless(refused);
    }
  }

  @Test
  void idOfAnotherCluster() throws Exception {
    try (Producer<String, String> producer = producer(Duration.ofMillis(500))) {
      producer.sendAndWait(null, "a");
      broker.always(ApiKey.API_VERSIONS, BrokerRelease.V3_3.negotiation());
      broker.always(ApiKey.DESCRIBE_CLUSTER,
          exchange -> exchange.answer(new DescribeClusterResponse().clusterId(EVIL.repeat(MUCH))::write));
      broker.cutAll();
      Throwable refused = catchThrowable(() -> producer.sendAndWait(null, "b"));
      assertThat(refused).hasMessageContaining("belongs to cluster no?WARN");
      assertThatItIsHarmless(refused);
    }
  }

  @Test
  void hostOfABrokerAndNamesOfTopics() throws Exception {
    broker.always(ApiKey.METADATA, exchange -> {
      MetadataResponse response = broker.state().metadata((MetadataRequest) exchange.request().body());
      response.brokers().forEach(b -> b.host(EVIL.repeat(MUCH)));
      List<MetadataResponse.MetadataResponseTopic> topics = new ArrayList<>(response.topics());
      topics.add(new MetadataResponse.MetadataResponseTopic().name(EVIL).partitions(List.of()));
      exchange.answer(response.topics(topics)::write);
    });
    try (Producer<String, String> producer = producer(Duration.ofMillis(500))) {
      assertThatItIsHarmless(catchThrowable(() -> producer.sendAndWait(null, "a")));
      client.status().connections().forEach(c -> assertThat(c.broker()).doesNotContainPattern(UNPRINTABLE));
      assertThat(ClientInternals.of(client).cluster().snapshot().topics()).containsOnlyKeys(ScriptedBroker.TOPIC);
    }
  }

  @Test
  void wordsOfACoordinator() throws Exception {
    broker.next(ApiKey.FIND_COORDINATOR, exchange -> exchange.answer(new FindCoordinatorResponse()
        .coordinators(List.of(new FindCoordinatorResponse.Coordinator().key("billing")
            .errorCode(ErrorCode.GROUP_AUTHORIZATION_FAILED.code()).errorMessage(EVIL.repeat(MUCH))))::write));
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .subscribe(ScriptedBroker.TOPIC).open()) {
      KafkaException refused = failureOf(consumer, new ArrayList<>());
      assertThat(refused).hasStackTraceContaining("no?WARN");
      assertThatItIsHarmless(refused);
    }
    broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, exchange -> exchange.answer(new ConsumerGroupHeartbeatResponse()
        .errorCode(ErrorCode.GROUP_AUTHORIZATION_FAILED.code()).errorMessage(EVIL.repeat(MUCH))::write));
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .subscribe(ScriptedBroker.TOPIC).open()) {
      KafkaException refused = failureOf(consumer, new ArrayList<>());
      assertThat(refused).hasMessageContaining("no?WARN");
      assertThatItIsHarmless(refused);
    }
  }

  @Test
  void namesThatAClassicGroupHasChosen() throws Exception {
    broker.always(ApiKey.JOIN_GROUP, exchange -> exchange.answer(new JoinGroupResponse().generationId(1)
        .protocolType(EVIL.repeat(MUCH)).protocolName(EVIL).memberId(EVIL.repeat(MUCH)).leader("l")
        .members(List.of())::write));
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .groupProtocol(GroupProtocol.CLASSIC).subscribe(ScriptedBroker.TOPIC).open()) {
      KafkaException refused = failureOf(consumer, new ArrayList<>());
      assertThat(refused).hasMessageContaining("no?WARN");
      assertThatItIsHarmless(refused);
    }
  }

  @Test
  void whyABatchIsRefused() throws Exception {
    Script refusal = exchange -> {
      ProduceRequest request = exchange.request().produce();
      ProduceResponse response = ProduceResponses.to(request);
      response.responses().forEach(t -> t.partitionResponses().forEach(
          p -> p.errorCode(ErrorCode.POLICY_VIOLATION.code()).errorMessage(EVIL.repeat(MUCH))));
      exchange.answer(response::write);
    };
    broker.next(ApiKey.PRODUCE, refusal);
    try (Producer<String, String> producer = producer(LATER)) {
      Throwable refused = catchThrowable(() -> producer.sendAndWait(null, "a"));
      assertThat(refused).hasStackTraceContaining("no?WARN");
      assertThatItIsHarmless(refused);
    }
  }
}
