package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.serialization.Serdes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the position at which a consumer begins. */
class PositionTest extends AgainstScriptedBroker {
  PositionTest() {
    super(1, LATER);
  }

  /** The consumer once began at the first record whose timestamp is not negative: at the beginning. */
  @Test
  void withoutResetAndSeekPollSaysThatThereIsNoPosition() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (var consumer = client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.NONE).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("orders-0 has no position")
          .hasMessageContaining("seek first");
      consumer.seek(ScriptedBroker.TOPIC, 0, 1);
      assertThat(read(consumer, 1)).containsExactly("b");
    }
    assertThat(broker.requests(ApiKey.LIST_OFFSETS)).isEmpty();
  }

  /** A missing commit of the group does not matter to an application that has sought meanwhile. */
  @Test
  void seekIsNotTooLateForWhatTheGroupHasNotCommitted() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (var consumer = client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.NONE)
        .group("billing").open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      ClientInternals.of(client).cluster().waiters().await(() -> !client.status().lastErrors().isEmpty(),
          System.nanoTime() + LATER.toNanos());
      consumer.seek(ScriptedBroker.TOPIC, 0, 1);
      assertThat(read(consumer, 1)).containsExactly("b");
    }
    assertThat(client.status().lastErrors()).extracting(ErrorReport::where).containsExactly("orders-0");
  }

  @Test
  void withoutResetAnOffsetOutOfRangeIsAnErrorOfPoll() throws InterruptedException {
    broker.state().store(0, "a");
    try (var consumer = client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.NONE).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.seek(ScriptedBroker.TOPIC, 0, 7);
      assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("fetch of orders-0: offset 7");
      consumer.seek(ScriptedBroker.TOPIC, 0, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  /** An error of the old position once came again after a seek, if the fetch was repeated in between. */
  @Test
  void errorOfAPositionIsOverWithTheSeekToAnother() throws InterruptedException {
    broker.state().store(0, "a");
    try (var consumer = client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.NONE).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.seek(ScriptedBroker.TOPIC, 0, 7);
      assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("fetch of orders-0: offset 7");
      int fetches = broker.requests(ApiKey.FETCH).size();
      List<ErrorReport> before = client.status().lastErrors();
      broker.await(ApiKey.FETCH, fetches + 1);
      ClientInternals.of(client).cluster().waiters().await(() -> client.status().lastErrors().size() > before.size(),
          System.nanoTime() + LATER.toNanos());
      consumer.seek(ScriptedBroker.TOPIC, 0, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  /** This was once an error without a code, which nobody could tell from a refusal. */
  @Test
  void positionThatIsNotFoundInTimeIsATimeout() {
    broker.always(ApiKey.LIST_OFFSETS, Script.SILENCE);
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThatThrownBy(() -> consumer.position(ScriptedBroker.TOPIC, 0, SOON))
          .isInstanceOf(KafkaTimeoutException.class).hasMessageContaining("the position of orders-0 is not known");
    }
  }

  @Test
  void onlyTheBeginningIsRequested() throws InterruptedException {
    broker.state().store(0, "a");
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    List<Long> asked = broker.requests(ApiKey.LIST_OFFSETS).stream()
        .flatMap(r -> ((ListOffsetsRequest) r.body()).topics().stream()).flatMap(t -> t.partitions().stream())
        .map(ListOffsetsRequest.ListOffsetsPartition::timestamp).toList();
    assertThat(asked).containsExactly(-2L);
  }
}
