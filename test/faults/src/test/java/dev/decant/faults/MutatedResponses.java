package dev.decant.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.fault.Direction;
import dev.decant.testkit.fault.FaultProxy;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Brokers whose responses are wrong in a place: lengths, counts, error codes, offsets, names, addresses. The client
 * ends connections, retries and fails records, but it neither hangs nor throws errors of the JVM nor exceeds its
 * memory; records that it hands out are records that were sent; and when responses are right again, it works again.
 * A wrong offset or error code may look right, so neither offsets nor what was not acknowledged are judged.
 */
final class MutatedResponses {
  private static final long MUTATIONS_OF_A_ROUND = 1000;
  private static final double SHARE = 0.1;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  /** Buffers of threads that call or serve the network, and of brokers that are written to. */
  private static final long SLACK_BYTES = 16 << 20;

  private MutatedResponses() {}

  /**
   * Makes changes until there are so many, in rounds of a topic each.
   *
   * @param mutations of all rounds together
   */
  static void survive(KafkaCluster cluster, GroupProtocol protocol, long mutations) throws InterruptedException {
    long seed = Seeds.next("mutated responses, " + protocol);
    long done = 0;
    for (int round = 0; done < mutations; round++) {
      done += mutate(cluster, protocol, seed + round, Math.min(MUTATIONS_OF_A_ROUND, mutations - done));
    }
  }

  private static long mutate(KafkaCluster cluster, GroupProtocol protocol, long seed, long atLeast)
      throws InterruptedException {
    String topic = "mutated-" + protocol.text() + "-" + Long.toHexString(seed);
    cluster.createTopic(topic, Workload.PARTITIONS);
    LoadSettings settings = LoadSettings.usual();
    long before = mutations(cluster);
    long directBytesBefore = directBytes();
    List<Outcomes> outcomes;
    String summary;
    try (KafkaClient client = Workload.connect(cluster, settings);
        GroupReader reader = new GroupReader(client, topic, protocol);
        Workload load = new Workload(client, topic, seed, settings)) {
      load.awaitProgress();
      try {
        forEachProxy(cluster, proxy -> proxy.mutate(Direction.TO_CLIENT, SHARE));
        Waits.until(atLeast + " mutations", () -> mutations(cluster) - before >= atLeast);
        long bound = client.status().fetchMemory() + settings.bufferBytes() + SLACK_BYTES;
        assertThat(isDirectMemoryBelow(directBytesBefore + bound)).as("direct memory of %d bytes, seed %d",
            directBytes(), seed).isTrue();
      } finally {
        forEachProxy(cluster, FaultProxy::heal);
      }
      outcomes = awaitWorkAgain(client, reader, load);
      summary = reader.toString();
      assertThat(reader.wrongRecords()).as("records that nobody sent, seed %d", seed).isEmpty();
    }
    long mutations = mutations(cluster) - before;
    System.out.println(topic + ": " + mutations + " mutations; reader: " + summary);
    Delivered.assertIn(Stored.read(cluster, topic), outcomes, new int[Workload.SENDERS], seed);
    cluster.deleteTopic(topic);
    return mutations;
  }

  private static List<Outcomes> awaitWorkAgain(KafkaClient client, GroupReader reader, Workload load)
      throws InterruptedException {
    try {
      load.awaitProgress();
      reader.awaitRecordsAfter(load.sent());
      return load.finish();
    } catch (AssertionError e) {
      System.out.println(load.trace().text() + "\n" + client.status() + "\n" + client.consumers());
      throw e;
    }
  }

  private static void forEachProxy(KafkaCluster cluster, Consumer<FaultProxy> change) {
    for (int broker = 1; broker <= Bench.BROKERS; broker++) {
      change.accept(cluster.proxy(broker));
    }
  }

  private static long mutations(KafkaCluster cluster) {
    long sum = 0;
    for (int broker = 1; broker <= Bench.BROKERS; broker++) {
      sum += cluster.proxy(broker).mutations(Direction.TO_CLIENT);
    }
    return sum;
  }

  /** What a pool has evicted counts until the collector has given it back. */
  private static boolean isDirectMemoryBelow(long bytes) throws InterruptedException {
    return Waits.isTrueWithin(PATIENCE, () -> {
      if (directBytes() >= bytes) {
        System.gc();
      }
      return directBytes() < bytes;
    });
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
  }
}
