package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.FetchScripts;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the choice of the broker to fetch from: leaders that have moved (KIP-951), and followers nearby (KIP-392). */
class FetchLeaderTest extends AgainstScriptedBroker {
  FetchLeaderTest() {
    super(2, LATER);
  }

  private Consumer<String, String> consumerIn(String rack) {
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).rack(rack).open();
    consumer.assign(ScriptedBroker.TOPIC, 0);
    return consumer;
  }

  private static List<Integer> epochs(List<Request> fetches) {
    return fetches.stream().flatMap(r -> r.fetch().topics().stream()).flatMap(t -> t.partitions().stream())
        .map(FetchRequest.FetchPartition::currentLeaderEpoch).distinct().toList();
  }

  @Test
  void leaderThatComesWithTheErrorIsFetchedFromWithoutMetadata() throws InterruptedException {
    try (ScriptedBroker other = broker.peer(2); Consumer<String, String> consumer = consumer()) {
      broker.state().store(0, "a");
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
      int metadata = broker.requests(ApiKey.METADATA).size();
      broker.always(ApiKey.FETCH, exchange -> {
        if (broker.state().leaderEpoch(0) == 0) { // the partition moves between two fetches
          broker.state().lead(0, 2);
        }
        FetchScripts.movedTo(2, broker.state().leaderEpoch(0), other.address()).run(exchange);
      });
      other.await(ApiKey.FETCH, 1);
      int epoch = broker.state().leaderEpoch(0);
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
      assertThat(epochs(other.requests(ApiKey.FETCH))).containsExactly(epoch);
      assertThat(broker.requests(ApiKey.METADATA)).hasSize(metadata);
      assertThat(other.requests(ApiKey.METADATA)).isEmpty();
    }
  }

  /** The other partition once waited as long as the one that was refused. */
  @Test
  void partitionThatIsRefusedHoldsUpNoOther() throws InterruptedException {
    try (Consumer<String, String> consumer = consumer()) {
      broker.always(ApiKey.FETCH, exchange -> {
        boolean both = exchange.request().fetch().topics().stream().flatMap(t -> t.partitions().stream())
            .anyMatch(p -> p.partition() == 1);
        if (both) {
          exchange.answer(FetchScripts.of(exchange.request().fetch(), p -> {
            if (p.partitionIndex() == 1) {
              p.errorCode(ErrorCode.KAFKA_STORAGE_ERROR.code());
            }
          })::write);
        } else {
          exchange.answer();
        }
      });
      consumer.assign(ScriptedBroker.TOPIC, 0, 1);
      broker.state().store(0, "a");
      broker.state().store(0, "b");
      assertThat(read(consumer, 2)).containsExactly("a", "b");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH", "OFFSET_NOT_AVAILABLE"})
  void wrongLeaderEpochIsTriedAgainWithWhatMetadataSays(ErrorCode code) throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer()) {
      broker.always(ApiKey.FETCH, exchange -> {
        if (epochs(List.of(exchange.request())).contains(1)) {
          exchange.answer();
        } else {
          FetchScripts.refusal(code).run(exchange);
        }
      });
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.poll(Duration.ZERO, record -> {});
      broker.await(ApiKey.FETCH, 1);
      broker.state().lead(0, 1);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    assertThat(epochs(broker.requests(ApiKey.FETCH))).containsExactly(0, 1);
  }

  @Test
  void followerThatTheLeaderNamesIsReadFromAndNeedNotCheckThePosition() throws InterruptedException {
    broker.always(ApiKey.FETCH, FetchScripts.readFrom(2));
    try (ScriptedBroker follower = broker.peer(2); Consumer<String, String> consumer = consumerIn("near")) {
      broker.state().store(0, "a");
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
      assertThat(follower.requests(ApiKey.FETCH)).hasSizeGreaterThan(1).allSatisfy(r -> {
        assertThat(r.fetch().rackId()).isEqualTo("near");
        r.fetch().topics().forEach(t -> t.partitions().forEach(p -> assertThat(p.lastFetchedEpoch()).isEqualTo(-1)));
      });
      assertThat(broker.requests(ApiKey.FETCH)).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OFFSET_OUT_OF_RANGE", "NOT_LEADER_OR_FOLLOWER", "UNKNOWN_LEADER_EPOCH"})
  void followerThatRefusesIsLeftForTheLeaderAndThePositionStays(ErrorCode code) throws InterruptedException {
    broker.always(ApiKey.FETCH, FetchScripts.readFrom(2));
    try (ScriptedBroker follower = broker.peer(2); Consumer<String, String> consumer = consumerIn("near")) {
      broker.state().store(0, "a");
      assertThat(read(consumer, 1)).containsExactly("a");
      follower.always(ApiKey.FETCH, FetchScripts.refusal(code));
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
      broker.state().store(0, "c");
      assertThat(read(consumer, 1)).containsExactly("c");
    }
    assertThat(broker.requests(ApiKey.LIST_OFFSETS)).hasSize(1);
  }

  @Test
  void followerThatIsNotThereAnyMoreIsLeftForTheLeader() throws InterruptedException, IOException {
    broker.always(ApiKey.FETCH, FetchScripts.readFrom(2));
    ScriptedBroker follower = broker.peer(2);
    try (Consumer<String, String> consumer = consumerIn("near")) {
      broker.state().store(0, "a");
      assertThat(read(consumer, 1)).containsExactly("a");
      follower.always(ApiKey.FETCH, Script.CUT);
      follower.cutAll();
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
    } finally {
      follower.close();
    }
    assertThat(broker.requests(ApiKey.FETCH)).filteredOn(r -> r.fetch().rackId().isEmpty()).isNotEmpty();
  }

  @Test
  void withoutARackNoFollowerIsReadFrom() throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.FETCH, FetchScripts.saying(p -> p.preferredReadReplica(2)));
    try (ScriptedBroker follower = broker.peer(2); Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
      assertThat(follower.requests(ApiKey.FETCH)).isEmpty();
    }
  }
}
