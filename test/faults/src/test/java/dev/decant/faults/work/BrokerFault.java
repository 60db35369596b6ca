package dev.decant.faults.work;

import dev.decant.testkit.BrokerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;

/** What happens to brokers, one after the other; each is over when {@link #happen} returns. */
enum BrokerFault {
  /** SIGKILL, and a new start. */
  KILL {
    @Override
    void happen(WorkBench bench, BrokerNode node, Random random) throws InterruptedException {
      node.kill();
      hold(random, 3_000);
      bench.restart(node);
    }
  },
  /** A stop in good order, and a new start. */
  STOP {
    @Override
    void happen(WorkBench bench, BrokerNode node, Random random) throws InterruptedException {
      node.stop();
      hold(random, 1_000);
      bench.restart(node);
    }
  },
  /** SIGSTOP, for less or for more than the broker's session. */
  FREEZE {
    @Override
    void happen(WorkBench bench, BrokerNode node, Random random) throws InterruptedException {
      node.suspend();
      hold(random, 6_000);
      node.resume();
    }
  },
  /** Other leaders, by an order of replicas that chance gives. */
  ELECT {
    @Override
    void happen(WorkBench bench, BrokerNode node, Random random) throws InterruptedException {
      elect(bench, random);
    }
  };

  private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(10);

  abstract void happen(WorkBench bench, BrokerNode node, Random random) throws InterruptedException;

  /** Makes one fault that chance gives. */
  static void any(WorkBench bench, Random random) throws InterruptedException {
    make(values()[random.nextInt(values().length)], bench, random);
  }

  static void make(BrokerFault fault, WorkBench bench, Random random) throws InterruptedException {
    BrokerNode node = bench.cluster.node(1 + random.nextInt(WorkBench.BROKERS));
    long since = System.nanoTime();
    bench.event("broker " + node.id() + ": " + fault + " begins");
    fault.happen(bench, node, random);
    bench.brokerFault(since, "broker " + node.id() + ": " + fault + " is over");
  }

  private static void hold(Random random, int mostMillis) throws InterruptedException {
    WorkBench.hold(TimeUnit.MILLISECONDS.toNanos(random.nextInt(mostMillis)));
  }

  private static void elect(WorkBench bench, Random random) throws InterruptedException {
    Map<TopicPartition, Optional<NewPartitionReassignment>> orders = new HashMap<>();
    for (int partition = 0; partition < WorkBench.PARTITIONS; partition++) {
      List<Integer> replicas = new ArrayList<>(List.of(1, 2, 3));
      Collections.shuffle(replicas, random);
      orders.put(new TopicPartition(bench.topic, partition), Optional.of(new NewPartitionReassignment(replicas)));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bench.cluster.directBootstrap()))) {
      admin.alterPartitionReassignments(orders).all().get(ADMIN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      admin.electLeaders(ElectionType.PREFERRED, null).partitions().get(ADMIN_TIMEOUT.toMillis(),
          TimeUnit.MILLISECONDS); // leaders of the offsets topic, too
    } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
      bench.event("no election: " + e);
    }
  }
}
