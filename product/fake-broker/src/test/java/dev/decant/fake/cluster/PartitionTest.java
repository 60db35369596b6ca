package dev.decant.fake.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.loop.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a partition of three replicas, without a network. */
@Timeout(30)
class PartitionTest {
  private interface Step {
    void take(Cluster cluster, Partition partition);
  }

  private static void onCluster(Step step) throws Exception {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    try (EventLoop loop = EventLoop.start("partition", new ClusterClock())) {
      loop.execute(() -> {
        try {
          Cluster cluster = new Cluster("c", Release.DEFAULT, Settings.ofBrokers(), loop);
          for (int id = 1; id <= 3; id++) {
            cluster.addBroker(id, null, "h").started(id);
          }
          step.take(cluster, cluster.createTopic("orders", 1, 3, Map.of()).partitions().getFirst());
          done.complete(true);
        } catch (Throwable e) { // the test waits for it
          done.completeExceptionally(e);
        }
      });
      done.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void watcherThatHasEndedIsNotCalledAgain() throws Exception {
    List<String> calls = new ArrayList<>();
    onCluster((cluster, partition) -> {
      Runnable second = () -> calls.add("second");
      partition.watch(() -> {
        calls.add("first");
        partition.unwatch(second);
      });
      partition.watch(second);
      partition.bumpEpoch();
    });
    assertThat(calls).containsExactly("first");
  }

  @Test
  void partitionThatNobodyUsesHasNoLog() throws Exception {
    onCluster((cluster, partition) -> {
      cluster.lead(partition, 2);
      cluster.lead(partition, 3);
      cluster.applyRetention();
      Objects.requireNonNull(cluster.broker(3)).stopped();
      cluster.brokerStopped(3);
      assertThat(partition.usedLog()).isNull();
      assertThat(partition.leader()).isEqualTo(1);
      assertThat(partition.log().endOfEpoch(partition.leaderEpoch()).offset()).isZero();
      assertThat(partition.usedLog()).isSameAs(partition.log());
    });
  }

  @Test
  void allReplicasAreInSyncAgainAfterAllBrokersWereDead() throws Exception {
    onCluster((cluster, partition) -> {
      for (int id = 1; id <= 3; id++) {
        Objects.requireNonNull(cluster.broker(id)).stopped();
        cluster.brokerStopped(id);
      }
      assertThat(partition.leader()).isEqualTo(Partition.NO_LEADER);
      for (int id = 1; id <= 3; id++) {
        Objects.requireNonNull(cluster.broker(id)).started(id);
        cluster.brokerStarted(id);
      }
      assertThat(partition.inSync()).containsExactlyInAnyOrder(1, 2, 3);
      assertThat(partition.leader()).isPositive();
    });
  }
}
