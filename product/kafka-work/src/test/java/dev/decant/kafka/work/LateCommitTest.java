package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A commit whose coordinator responds late, and a partition that goes to another member meanwhile. */
@Timeout(60)
class LateCommitTest {
  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void aPartitionLeavesOnceItsCommitIsStored(GroupProtocol protocol) throws Exception {
    // The first member had nothing left to commit, so the partition went at once. The next member read the previous
    // offset, did all records again, and its commits replaced the late one.
    List<String> done = new CopyOnWriteArrayList<>();
    CountDownLatch first = new CountDownLatch(2);
    CountDownLatch second = new CountDownLatch(1);
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 2).start();
        KafkaClient client = KafkaClient.connect(kafka.bootstrap());
        KafkaClient other = KafkaClient.connect(kafka.bootstrap());
        Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      orders.sendAndWait("k", "0", new SendOptions().partition(0));
      orders.sendAndWait("k", "1", new SendOptions().partition(1));
      kafka.faults().on(ApiKey.OFFSET_COMMIT).first(60).answer(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
      try (Work one = work(client, protocol).open(record -> {
        done.add(record.value());
        first.countDown();
      })) {
        assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
        kafka.awaitRequest(ApiKey.OFFSET_COMMIT, Duration.ofSeconds(20));
        try (Work two = work(other, protocol).open(record -> {
          done.add(record.value());
          second.countDown();
        })) {
          while (two.status().partitions().isEmpty()) {
            assertThat(done).as("nothing is done again").hasSize(2);
          }
          int moved = two.status().partitions().getFirst().partition().partition();
          orders.sendAndWait("k", "next", new SendOptions().partition(moved));
          assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
          assertThat(one.status().failure()).isNull();
        }
      }
    }
    assertThat(done).containsExactlyInAnyOrder("0", "1", "next");
  }

  private static WorkBuilder<String, String> work(KafkaClient client, GroupProtocol protocol) {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .commitEvery(Duration.ofMillis(20), Integer.MAX_VALUE).consumer(c -> c.groupProtocol(protocol));
  }
}
