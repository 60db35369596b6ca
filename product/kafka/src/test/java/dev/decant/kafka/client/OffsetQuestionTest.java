package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetAndTimestamp;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests a consumer's first and last offsets of partitions, and its lag. */
class OffsetQuestionTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(ScriptedBroker.TOPIC, 1);

  OffsetQuestionTest() {
    super(2, LATER);
  }

  /** Responds with the same values for every partition. */
  private static Script saying(ErrorCode code, long offset, long timestamp) {
    return exchange -> exchange.answer(new ListOffsetsResponse().topics(
        ((ListOffsetsRequest) exchange.request().body()).topics().stream()
            .map(t -> new ListOffsetsResponse.ListOffsetsTopicResponse().name(t.name())
                .partitions(t.partitions().stream()
                    .map(p -> new ListOffsetsResponse.ListOffsetsPartitionResponse().partitionIndex(p.partitionIndex())
                        .errorCode(code.code()).offset(offset).timestamp(timestamp).leaderEpoch(3))
                    .toList()))
            .toList())::write);
  }

  @Test
  void beginningsAndEndsOfPartitionsThatAreNotAssignedTakeOneRequest() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumer()) {
      assertThat(consumer.endOffsets(P0, P1)).isEqualTo(Map.of(P0, 2L, P1, 1L));
      assertThat(broker.requests(ApiKey.LIST_OFFSETS)).hasSize(1);
      assertThat(consumer.beginningOffsets(P0, P1)).isEqualTo(Map.of(P0, 0L, P1, 0L));
      assertThat(consumer.endOffsets()).isEmpty();
    }
  }

  @Test
  void leadersAreAskedEachForItsOwnAndAgainIfTheyHaveMoved() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(1, "x");
    try (ScriptedBroker other = broker.peer(2); Consumer<String, String> consumer = consumer()) {
      assertThat(consumer.endOffsets(P0)).hasSize(1);
      broker.state().lead(1, 2);
      broker.next(ApiKey.LIST_OFFSETS, saying(ErrorCode.NOT_LEADER_OR_FOLLOWER, -1, -1));
      assertThat(consumer.endOffsets(P0, P1)).isEqualTo(Map.of(P0, 2L, P1, 1L));
      assertThat(other.requests(ApiKey.LIST_OFFSETS)).hasSize(1);
    }
  }

  @Test
  void recordsAreFoundByTimeAndPartitionsWithoutOneAreNotThere() throws InterruptedException {
    try (Consumer<String, String> consumer = consumer()) {
      broker.next(ApiKey.LIST_OFFSETS, saying(ErrorCode.NONE, 7, 1_700_000_000_123L));
      assertThat(consumer.offsetsForTimes(Map.of(P0, 1_700_000_000_000L)))
          .isEqualTo(Map.of(P0, new OffsetAndTimestamp(7, 1_700_000_000_123L, 3)));
      broker.next(ApiKey.LIST_OFFSETS, saying(ErrorCode.NONE, -1, -1));
      assertThat(consumer.offsetsForTimes(Map.of(P0, 1_700_000_000_000L))).isEmpty();
      assertThatThrownBy(() -> consumer.offsetsForTimes(Map.of(P0, -1L)))
          .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("orders").hasMessageContaining("-1");
    }
    List<Long> asked = broker.requests(ApiKey.LIST_OFFSETS).stream()
        .flatMap(r -> ((ListOffsetsRequest) r.body()).topics().stream()).flatMap(t -> t.partitions().stream())
        .map(ListOffsetsRequest.ListOffsetsPartition::timestamp).toList();
    assertThat(asked).containsOnly(1_700_000_000_000L);
  }

  @Test
  void finalRefusalIsThrownAndAMissingResponseIsATimeout() throws InterruptedException {
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .apiTimeout(SOON).open()) {
      broker.next(ApiKey.LIST_OFFSETS, saying(ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1, -1));
      assertThatThrownBy(() -> consumer.endOffsets(P0)).isInstanceOf(KafkaException.class)
          .hasMessageContaining("offset of").hasMessageContaining("TOPIC_AUTHORIZATION_FAILED")
          .hasMessageContaining(address());
      broker.always(ApiKey.LIST_OFFSETS, Script.SILENCE);
      assertThatThrownBy(() -> consumer.endOffsets(P0)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("did not come in time");
    }
  }

  @Test
  void lagIsKnownFromFetchesAlone() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).maxPollRecords(1)
        .fetchMaxWait(Duration.ofMillis(100)).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.seek(ScriptedBroker.TOPIC, 0, 0);
      assertThat(consumer.currentLag(ScriptedBroker.TOPIC, 0)).isEqualTo(-1);
      assertThat(read(consumer, 1)).containsExactly("a");
      // The loop may have requested the first offset between assign and seek, and then sends no more requests.
      int asked = broker.requests(ApiKey.LIST_OFFSETS).size();
      assertThat(consumer.currentLag(ScriptedBroker.TOPIC, 0)).isEqualTo(2);
      assertThat(read(consumer, 2)).containsExactly("b", "c");
      assertThat(consumer.currentLag(ScriptedBroker.TOPIC, 0)).isZero();
      assertThat(broker.requests(ApiKey.LIST_OFFSETS)).hasSize(asked);
    }
  }
}
