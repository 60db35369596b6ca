package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests partitions without a leader, leaders that move, and nodes that are down. */
class LeaderTest extends AgainstScriptedBroker {
  LeaderTest() {
    super(2, LATER);
  }

  /** Returns a port without a listener: it was free a moment ago. */
  private static int deadPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Script metadataError(int code) {
    return exchange -> {
      MetadataResponse response = broker.state().metadata((MetadataRequest) exchange.request().body());
      response.topics().forEach(t -> t.errorCode((short) code).partitions(List.of()));
      exchange.answer(response::write);
    };
  }

  @Test
  void recordsOfAPartitionWithoutALeaderWaitForOne() throws InterruptedException {
    broker.state().lead(0, -1);
    try (Producer<String, String> producer = producer(LATER)) {
      producer.send(null, "a", new SendOptions().partition(0), 0, null);
      int before = broker.requests(ApiKey.METADATA).size();
      broker.await(ApiKey.METADATA, before + 2);
      assertThat(broker.requests(ApiKey.PRODUCE)).isEmpty();
      broker.state().lead(0, 1);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).containsExactly("a");
  }

  @Test
  void recordsWithoutALeaderFailAtTheDeliveryTimeoutAndTheErrorNamesThePartition() throws InterruptedException {
    broker.state().lead(0, -1);
    try (Producer<String, String> producer = producer(Duration.ofMillis(400))) {
      SendOptions leaderless = new SendOptions().partition(0);
      assertThatThrownBy(() -> producer.sendAndWait(null, "a", leaderless)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("produce to orders-0").hasMessageContaining("stage waiting to be sent")
          .hasMessageContaining("no leader");
    }
  }

  /** A single wrong response, with an epoch far ahead, once ended all sending to the partition. */
  @Test
  void leaderOfAContradictedEpochIsReplaced() throws InterruptedException {
    broker.next(ApiKey.METADATA, exchange -> {
      MetadataResponse wrong = broker.state().metadata((MetadataRequest) exchange.request().body());
      wrong.topics().getFirst().partitions().forEach(p -> p.leaderId(99).leaderEpoch(Integer.MAX_VALUE));
      exchange.answer(wrong::write);
    });
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a", new SendOptions().partition(0));
    }
    assertThat(broker.state().stored(0)).containsExactly("a");
    assertThat(broker.requests(ApiKey.METADATA)).as("a few older answers are those of a broker that lags behind")
        .hasSizeGreaterThan(4);
  }

  @Test
  void readingWaitsForALeader() throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().lead(0, -1);
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(consumer.poll(Duration.ofMillis(250), record -> {})).isZero();
      assertThat(broker.requests(ApiKey.METADATA)).hasSizeGreaterThan(1);
      broker.state().lead(0, 1);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  @Test
  void nodeThatRefusesConnectionsIsNamedAndDoesNotHinderOthers() throws InterruptedException, IOException {
    int port = deadPort();
    broker.state().announce(2, port);
    broker.state().lead(1, 2);
    broker.state().store(0, "a");
    try (Producer<String, String> producer = producer(Duration.ofMillis(700));
        Producer<String, String> patient = producer(LATER);
        Consumer<String, String> c = consumer()) {
      String key = keyOf(1);
      assertThatThrownBy(() -> producer.sendAndWait(key, "lost")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("produce to orders-1").hasMessageContaining("broker 127.0.0.1:" + port)
          .hasMessageContaining("Connection refused");
      assertThat(patient.sendAndWait(keyOf(0), "b").partition()).isZero();
      c.assign(ScriptedBroker.TOPIC, 0, 1);
      assertThat(read(c, 2)).containsExactly("a", "b");

      broker.state().lead(1, 1);
      Ack ack = patient.sendAndWait(key, "c");
      assertThat(ack.partition()).isEqualTo(1);
      assertThat(read(c, 1)).containsExactly("c");
    }
  }

  @Test
  void afterARefusalTheLeaderIsLookedUpAndTheRecordGoesThere() throws InterruptedException {
    try (ScriptedBroker other = broker.peer(2); Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(keyOf(0), "a");
      broker.always(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER));
      int before = broker.requests(ApiKey.METADATA).size();
      broker.state().lead(0, 2);
      producer.sendAndWait(keyOf(0), "b");
      assertThat(broker.requests(ApiKey.METADATA).size() + other.requests(ApiKey.METADATA).size())
          .as("metadata, from either node").isGreaterThan(before);
      assertThat(broker.requests(ApiKey.PRODUCE)).hasSizeGreaterThan(1);
      assertThat(other.requests(ApiKey.PRODUCE)).hasSize(1);
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "b");
  }

  @Test
  void topicThatMayNotBeReadIsAnErrorOfPoll() {
    broker.always(ApiKey.METADATA, metadataError(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code()));
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThatThrownBy(() -> read(consumer, 1)).isInstanceOf(KafkaException.class)
          .hasMessageContaining("topic orders").hasMessageContaining("TOPIC_AUTHORIZATION_FAILED");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {29, -1, 3, 12345})
  void errorOfATopicIsTheErrorOfOpen(int code) {
    broker.always(ApiKey.METADATA, metadataError(code));
    assertThatThrownBy(() -> producer(SOON)).isInstanceOf(KafkaException.class)
        .hasMessageContaining("topic orders").hasMessageContaining(ErrorCode.of((short) code).name())
        .hasMessageContaining(address());
  }

  /** Returns a key whose record goes to this one of two partitions. */
  private static String keyOf(int partition) {
    int i = 0;
    while (Utils.toPositive(Utils.murmur2(("k" + i).getBytes(StandardCharsets.UTF_8))) % 2 != partition) {
      i++;
    }
    return "k" + i;
  }
}
