package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedState;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests members of one client that are assigned topics by ids which the client does not know yet. */
class NamesOfTopicsTest extends AgainstScriptedBroker {
  private static final int MEMBERS = 4;
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);

  NamesOfTopicsTest() {
    super(1, LATER);
  }

  /** Each member once requested the metadata itself, and each response had all partitions of the topic. */
  @Test
  void clientAsksOnceForTheNameThatAllItsMembersWant() throws InterruptedException {
    CountDownLatch permission = new CountDownLatch(1);
    Script late = Script.after(permission, Script.STANDARD);
    broker.always(ApiKey.METADATA, exchange -> (isById(exchange.request()) ? late : Script.STANDARD).run(exchange));
    broker.always(ApiKey.CONSUMER_GROUP_HEARTBEAT, exchange -> exchange
        .answer(assigned((ConsumerGroupHeartbeatRequest) exchange.request().body())::write));
    List<Consumer<String, String>> members = new ArrayList<>();
    try {
      for (int i = 0; i < MEMBERS; i++) {
        members.add(client.consumer(Serdes.string(), Serdes.string()).group("group-" + i)
            .subscribe(ScriptedBroker.TOPIC).autoCommit(false).open());
      }
      broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, NamesOfTopicsTest::haveTheirAssignments);
      permission.countDown();
      for (Consumer<String, String> member : members) {
        pollUntilAssigned(member);
      }
    } finally {
      members.forEach(Consumer::close);
    }
    assertThat(broker.requests(ApiKey.METADATA)).filteredOn(NamesOfTopicsTest::isById).hasSize(1);
  }

  private static boolean isById(Request request) {
    List<MetadataRequest.MetadataRequestTopic> topics = ((MetadataRequest) request.body()).topics();
    return topics != null && topics.stream().anyMatch(topic -> !topic.topicId().equals(Uuid.ZERO));
  }

  private static ConsumerGroupHeartbeatResponse assigned(ConsumerGroupHeartbeatRequest request) {
    ConsumerGroupHeartbeatResponse response = new ConsumerGroupHeartbeatResponse().memberId(request.memberId())
        .heartbeatIntervalMs(100);
    return request.memberEpoch() < 0
        ? response.memberEpoch(request.memberEpoch())
        : response.memberEpoch(1).assignment(new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(List.of(
            new ConsumerGroupHeartbeatResponse.TopicPartitions().topicId(ScriptedState.TOPIC_ID)
                .partitions(List.of(0)))));
  }

  /** A second heartbeat follows the response to the first. */
  private static boolean haveTheirAssignments(List<Request> beats) {
    return beats.stream().filter(beat -> ((ConsumerGroupHeartbeatRequest) beat.body()).memberEpoch() > 0)
        .map(beat -> ((ConsumerGroupHeartbeatRequest) beat.body()).memberId()).distinct().count() == MEMBERS;
  }

  private static void pollUntilAssigned(Consumer<String, String> member) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!member.assignment().contains(P0)) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      member.poll(Duration.ofMillis(50), record -> {});
    }
  }
}
