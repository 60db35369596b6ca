package dev.decant.fake;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Prints what clusters take in a new JVM: milliseconds from a start to the first acknowledged record, and the memory of
 * topics. The argument {@code apache} has Apache's client send. The figures of docs/testing.md are from here.
 */
final class FakeStartMain {
  private static final int STARTS = 6;
  private static final int TOPICS = 1_000;

  private FakeStartMain() {}

  /** Runs the measurements and prints a line for each. */
  public static void main(String[] arguments) throws Exception {
    boolean isApache = arguments.length > 0 && arguments[0].equals("apache");
    for (int i = 1; i <= STARTS; i++) {
      long begin = System.nanoTime();
      try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start()) {
        long started = System.nanoTime();
        if (isApache) {
          sendByApache(cluster);
        } else {
          sendByDecant(cluster);
        }
        System.out.printf("cluster %d: start %d ms, to the acknowledgement %d ms%n", i, (started - begin) / 1_000_000,
            (System.nanoTime() - begin) / 1_000_000);
      }
    }
    for (int partitions : new int[] {1, 6}) {
      measureTopics(partitions);
    }
  }

  private static void sendByApache(FakeCluster cluster) throws Exception {
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      var unused = producer.send(new ProducerRecord<>("orders", "v")).get();
    }
  }

  private static void sendByDecant(FakeCluster cluster) throws InterruptedException {
    try (KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait("k", "v");
    }
  }

  private static void measureTopics(int partitions) {
    FakeClusterBuilder builder = FakeCluster.builder().brokers(3);
    for (int i = 0; i < TOPICS; i++) {
      builder.topic("topic-" + i, partitions);
    }
    long before = usedBytes();
    long begin = System.nanoTime();
    try (FakeCluster cluster = builder.start()) {
      long millis = (System.nanoTime() - begin) / 1_000_000;
      System.out.printf("%d topics of %d partitions: start %d ms, %d kB, %s%n", TOPICS, partitions, millis,
          (usedBytes() - before) / 1024, cluster);
    }
  }

  private static long usedBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
