package dev.decant.lab.capacity;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterBuilder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * A fake cluster in its own JVM, so that its cost is not counted as the client's. It prints its address for each line
 * of its input, and ends with the input.
 */
final class FleetMain {
  /** Bytes of requests that the cluster keeps: groups of many members send many requests, and no step reads them. */
  private static final long KEPT_REQUEST_BYTES = 1 << 16;

  private FleetMain() {}

  /**
   * Starts the cluster.
   *
   * @param arguments number of brokers, of topics, and of partitions of each topic
   */
  public static void main(String[] arguments) throws Exception {
    FakeClusterBuilder builder = FakeCluster.builder().brokers(Integer.parseInt(arguments[0]))
        .keptRequestBytes(KEPT_REQUEST_BYTES).setting("group.consumer.max.size", "100000")
        .setting("group.max.size", "100000");
    for (int topic = 0; topic < Integer.parseInt(arguments[1]); topic++) {
      builder.topic(Capacity.topic(topic), Integer.parseInt(arguments[2]));
    }
    try (FakeCluster cluster = builder.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      while (in.readLine() != null) {
        System.out.println("ok " + cluster.bootstrap());
      }
    }
  }
}
