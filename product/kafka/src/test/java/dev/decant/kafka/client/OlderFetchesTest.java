package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.BrokerRelease;
import dev.decant.kafka.broker.FetchScripts;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.LogTruncatedException;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests fetches by topic name, with and without sessions, and checks that older leaders do not make. */
class OlderFetchesTest extends AgainstScriptedBroker {
  private static final int EPOCH = 5;

  OlderFetchesTest() {
    super(2, LATER);
  }

  private void speakWithFetch(int version) {
    broker.always(ApiKey.API_VERSIONS, BrokerRelease.V2_8.negotiation(Map.of(ApiKey.FETCH, version)));
  }

  private static List<String> named(Request request) {
    return request.fetch().topics().stream()
        .flatMap(t -> t.partitions().stream().map(p -> t.topic() + "-" + p.partition())).sorted().toList();
  }

  private static List<String> forgotten(Request request) {
    return request.fetch().forgottenTopicsData().stream()
        .flatMap(t -> t.partitions().stream().map(p -> t.topic() + "-" + p)).toList();
  }

  /**
   * Returns the index of the first fetch that names both partitions. The consumer starts them one after the other, so
   * earlier fetches may name one.
   */
  private static int firstOfBoth(List<Request> fetches) {
    return (int) fetches.stream().takeWhile(request -> !named(request).contains("orders-1")).count();
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void withoutSessionsEachRequestNamesAllPartitions(int version) throws InterruptedException {
    speakWithFetch(version);
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0, 1)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().store(1, "x");
      assertThat(read(consumer, 1)).containsExactly("x");
      broker.await(ApiKey.FETCH, seen -> seen.size() - firstOfBoth(seen) >= 2);
    }
    List<Request> fetches = broker.requests(ApiKey.FETCH);
    assertThat(fetches.subList(firstOfBoth(fetches), fetches.size())).allSatisfy(request -> {
      assertThat((int) request.version()).isEqualTo(version);
      assertThat(named(request)).containsExactly("orders-0", "orders-1");
      assertThat(forgotten(request)).isEmpty();
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 9, 11, 12})
  void sessionsNameWhatHasMovedAndWhatIsReadNoMore(int version) throws InterruptedException {
    speakWithFetch(version);
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0, 1)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.await(ApiKey.FETCH, seen -> named(seen.getLast()).equals(List.of("orders-0")));
      consumer.assign(ScriptedBroker.TOPIC, 1);
      broker.state().store(1, "x");
      assertThat(read(consumer, 1)).containsExactly("x");
      broker.await(ApiKey.FETCH, seen -> seen.stream().anyMatch(r -> forgotten(r).equals(List.of("orders-0"))));
    }
    List<Request> fetches = broker.requests(ApiKey.FETCH);
    assertThat(fetches).allSatisfy(request -> assertThat((int) request.version()).isEqualTo(version));
    assertThat(fetches.stream().limit(firstOfBoth(fetches) + 1L).flatMap(f -> named(f).stream()))
        .containsOnly("orders-0", "orders-1");
    assertThat(fetches.stream().filter(request -> request.fetch().sessionEpoch() == 0)).hasSize(1);
  }

  /** A topic that was created again has the same name, so the request that names it does not forget it. */
  @Test
  void topicThatWasMadeAgainIsReadOnByTheSameName() throws InterruptedException {
    speakWithFetch(12);
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().recreate(2);
      broker.state().store(0, "b");
      updateMetadata();
      assertThat(read(consumer, 1)).containsExactly("b");
    }
    assertThat(broker.requests(ApiKey.FETCH)).allSatisfy(request -> assertThat(forgotten(request)).isEmpty());
  }

  private void updateMetadata() {
    ClientInternals.of(client).loop().execute(ClientInternals.of(client).cluster()::requestUpdate);
  }

  private Script metadataWithoutIds() {
    return exchange -> {
      MetadataResponse response = broker.state().metadata((MetadataRequest) exchange.request().body());
      response.topics().forEach(topic -> topic.topicId(Uuid.ZERO));
      exchange.answer(response::write);
    };
  }

  /** A cluster gives its topics ids while it is upgraded; until then even new brokers are asked by name. */
  @Test
  void topicsWithoutIdsAreReadByNameUntilTheyHaveSome() throws InterruptedException {
    broker.always(ApiKey.METADATA, metadataWithoutIds());
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      assertThat(broker.requests(ApiKey.FETCH)).extracting(Request::version).containsOnly((short) 12);
      broker.always(ApiKey.METADATA, Script.STANDARD);
      updateMetadata();
      broker.await(ApiKey.FETCH, seen -> seen.getLast().version() > 12);
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
    }
    Request first = broker.requests(ApiKey.FETCH).stream().filter(r -> r.version() > 12).findFirst().orElseThrow();
    assertThat(first.fetch().sessionEpoch()).as("a session by name cannot go on by id").isZero();
    assertThat(first.fetch().topics().getFirst().topicId()).isNotEqualTo(Uuid.ZERO);
  }

  /** Brokers before 2.4 report wrong epochs during a reassignment (KAFKA-9212). */
  @Test
  void leaderEpochsOfMetadataBeforeVersion9AreNotUsed() throws InterruptedException {
    broker.always(ApiKey.API_VERSIONS, BrokerRelease.V2_1.negotiation());
    broker.state().lead(0, 1);
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    assertThat(broker.requests(ApiKey.FETCH)).allSatisfy(request -> request.fetch().topics()
        .forEach(t -> t.partitions().forEach(p -> assertThat(p.currentLeaderEpoch()).isEqualTo(-1))));
    assertThat(broker.requests(ApiKey.OFFSET_FOR_LEADER_EPOCH)).isEmpty();
  }

  private void store(int epoch, String... values) {
    ByteBuffer batch = Batches.of(0, values);
    batch.putInt(batch.position() + RecordBatchHeader.PARTITION_LEADER_EPOCH, epoch);
    broker.state().store(0, batch);
  }

  /** From Fetch v12 on the leader makes the check by itself. */
  @Test
  void leaderBeforeFetch12IsAskedWhetherItHasWhatWasRead() throws InterruptedException {
    speakWithFetch(11);
    store(EPOCH, "a", "lost");
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.NONE).fetchMaxWait(Duration.ofMillis(100)).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.seek(ScriptedBroker.TOPIC, 0, 0);
      assertThat(read(consumer, 2)).containsExactly("a", "lost");
      broker.always(ApiKey.OFFSET_FOR_LEADER_EPOCH, exchange -> exchange.answer(FetchScripts.epochEnds(
          (OffsetForLeaderEpochRequest) exchange.request().body(), ErrorCode.NONE, 1)::write));
      broker.state().lead(0, 1);
      updateMetadata();
      assertThatThrownBy(() -> read(consumer, 1)).isInstanceOf(LogTruncatedException.class)
          .hasMessageContaining("position 2").hasMessageContaining("diverged at offset 1");
    }
    assertThat(broker.requests(ApiKey.FETCH)).allSatisfy(request -> partitions(request)
        .forEach(epoch -> assertThat(epoch).as("the epoch of what was read, which v11 does not have").isEqualTo(-1)));
  }

  /** A log from before Kafka 0.11 may have these records at its start, as long as they are retained. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void recordsInAFormatFromBefore011AreAnErrorThatSaysSo(int magic) throws InterruptedException {
    broker.always(ApiKey.API_VERSIONS, BrokerRelease.V2_1.negotiation());
    byte[] message = new byte[100];
    message[RecordBatchHeader.MAGIC] = (byte) magic;
    broker.always(ApiKey.FETCH, FetchScripts.saying(p -> p.highWatermark(5).records(ByteBuffer.wrap(message))));
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0)) {
      assertThatThrownBy(() -> read(consumer, 1)).isInstanceOf(KafkaException.class)
          .hasMessageContaining("records of orders-0 at offset 0 from broker " + address())
          .hasMessageContaining("are in a format from before Kafka 0.11");
    }
  }

  private static Stream<Integer> partitions(Request request) {
    return request.fetch().topics().stream().flatMap(t -> t.partitions().stream())
        .map(p -> p.lastFetchedEpoch());
  }
}
