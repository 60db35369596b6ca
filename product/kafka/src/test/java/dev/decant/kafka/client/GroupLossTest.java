package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.GroupListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a member after the group has removed it, or its consumer was closed. */
class GroupLossTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);

  private final RebalanceNotes notes = new RebalanceNotes();
  private final List<String> recorded = notes.recorded;
  private final CountDownLatch lost = new CountDownLatch(1);

  GroupLossTest() {
    super(2, LATER);
    client.events().watchGroups(new GroupListener() {
      @Override
      public void onLost(String group, KafkaException cause) {
        lost.countDown();
      }
    });
  }

  private ConsumerBuilder<String, String> member(GroupProtocol protocol) {
    ConsumerBuilder<String, String> builder = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).group("billing")
        .groupProtocol(protocol).subscribe(ScriptedBroker.TOPIC).rebalanceListener(notes);
    return protocol == GroupProtocol.CLASSIC ? builder.heartbeatInterval(Duration.ofMillis(100)) : builder;
  }

  private void pollUntil(Consumer<String, String> consumer, BooleanSupplier enough) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left; told %s", recorded).isPositive();
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
  }

  private static Script fenced() {
    return exchange -> exchange.answer(new ConsumerGroupHeartbeatResponse()
        .errorCode(ErrorCode.FENCED_MEMBER_EPOCH.code())::write);
  }

  private List<Integer> epochs() {
    return broker.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).stream()
        .map(r -> ((ConsumerGroupHeartbeatRequest) r.body()).memberEpoch()).toList();
  }

  /** Offsets that a transaction commits without a member would be accepted, though others have the partitions. */
  @Test
  void removedMemberIsStillNamedForTransactions() throws InterruptedException {
    try (Consumer<String, String> consumer = member(GroupProtocol.CLASSIC).autoCommit(false).open()) {
      pollUntil(consumer, () -> recorded.size() == 1);
      broker.always(ApiKey.JOIN_GROUP, Script.SILENCE);
      broker.state().classicGroup().expire();
      assertThat(lost.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(consumer.groupMetadata()).isEqualTo(new GroupMetadata("billing", 1, "member-1", null));
      pollUntil(consumer, () -> recorded.size() == 2);
      assertThat(consumer.groupMetadata()).as("while it joins again")
          .isEqualTo(new GroupMetadata("billing", 1, "member-1", null));
    }
  }

  /** The application was slow, so revocation and loss wait for the same poll. */
  @Test
  void revocationThatWasNotReportedBeforeTheLossIsNotReported() throws InterruptedException {
    try (Consumer<String, String> consumer = member(GroupProtocol.CONSUMER).autoCommit(false).open()) {
      pollUntil(consumer, () -> recorded.size() == 1);
      broker.state().group().assign(0);
      broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, epochs().size() + 2);
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, fenced());
      assertThat(lost.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      pollUntil(consumer, () -> recorded.size() == 3);
      assertThat(recorded).containsExactly("assigned [orders-0, orders-1]", "lost [orders-0, orders-1]",
          "assigned [orders-0]");
    }
  }

  @Test
  void listenerOfACommitThatThrowsKeepsNobodyFromSeeingTheLoss() throws InterruptedException {
    Logger log = Logger.getLogger("dev.decant.kafka");
    log.setLevel(Level.OFF); // its logged error is expected here
    try (Consumer<String, String> consumer = member(GroupProtocol.CONSUMER).autoCommit(false).open()) {
      pollUntil(consumer, () -> recorded.size() == 1);
      broker.always(ApiKey.OFFSET_COMMIT, exchange -> exchange.answer(broker.state().group()
          .answer((OffsetCommitRequest) exchange.request().body(), ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)::write));
      for (int i = 0; i < 2; i++) {
        consumer.commitInBackground(Map.of(P0, new OffsetAndMetadata(1)), LATER, (offsets, error) -> {
          throw new IllegalStateException("by a listener", error);
        });
      }
      broker.await(ApiKey.OFFSET_COMMIT, 1);
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, fenced());
      pollUntil(consumer, () -> recorded.size() == 3);
      assertThat(recorded.get(1)).isEqualTo("lost [orders-0, orders-1]");
    } finally {
      log.setLevel(null);
    }
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void interruptedThreadThatClosesRevokesAndLeaves(GroupProtocol protocol) throws InterruptedException {
    broker.state().store(0, "a");
    Consumer<String, String> consumer = member(protocol).open();
    List<String> values = new ArrayList<>();
    while (values.isEmpty()) {
      consumer.poll(Duration.ofMillis(50), record -> values.add(String.valueOf(record.value())));
    }
    Thread.currentThread().interrupt();
    consumer.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(recorded).containsExactly("assigned [orders-0, orders-1]", "revoked [orders-0, orders-1]");
    if (protocol == GroupProtocol.CLASSIC) {
      broker.await(ApiKey.LEAVE_GROUP, 1);
    } else {
      broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, request -> epochs().contains(-1));
    }
  }

  @Test
  void closedConsumerRefusesOffsetsAtOnce() throws InterruptedException {
    Consumer<String, String> consumer = member(GroupProtocol.CONSUMER).open();
    List<String> ends = new ArrayList<>();
    consumer.close();
    assertThatThrownBy(() -> consumer.commit(Map.of(P0, new OffsetAndMetadata(1))))
        .isInstanceOf(KafkaException.class).hasMessage("group billing: the consumer was closed");
    assertThatThrownBy(() -> consumer.committed(P0)).isInstanceOf(KafkaException.class)
        .hasMessage("group billing: the consumer was closed");
    CountDownLatch ended = new CountDownLatch(1);
    consumer.commitInBackground(Map.of(P0, new OffsetAndMetadata(1)), LATER, (offsets, error) -> {
      ends.add(String.valueOf(error));
      ended.countDown();
    });
    assertThat(ended.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(ends.getFirst()).contains("the consumer was closed");
  }

  /** The consumer once continued by the reset, as if no offset were committed. */
  @Test
  void partitionThatTheCoordinatorDoesNotNameIsRequestedAgain() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    broker.state().group().commit(0, 2);
    broker.next(ApiKey.OFFSET_FETCH,
        exchange -> exchange.answer(new OffsetFetchResponse().groups(((OffsetFetchRequest) exchange.request().body())
            .groups().stream().map(asked -> new OffsetFetchResponse.OffsetFetchResponseGroup()
                .groupId(asked.groupId()).topics(List.of()))
            .toList())::write));
    try (Consumer<String, String> consumer = member(GroupProtocol.CONSUMER).open()) {
      List<String> values = new ArrayList<>();
      while (values.isEmpty()) {
        consumer.poll(Duration.ofMillis(50), record -> values.add(String.valueOf(record.value())));
      }
      assertThat(values).containsExactly("c");
    }
    assertThat(broker.requests(ApiKey.OFFSET_FETCH)).hasSize(2);
  }
}
