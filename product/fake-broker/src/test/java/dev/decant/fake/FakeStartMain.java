package dev.decant.fake;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Prints the cost of clusters in a new JVM: milliseconds from a start to the first acknowledged record, and the memory
 * of topics. With the argument {@code apache} Apache's client sends; with {@code memory} the brokers listen within the
 * process; {@code tests} prints the cost of a test with its own cluster, by ports and in memory in turns. The figures
 * of docs/testing.md are from here.
 */
final class FakeStartMain {
  private static final int STARTS = 6;
  private static final int TOPICS = 1_000;
  private static final int TURNS = 20;
  private static final int WARM_UP_TURNS = 5;
  private static final int TESTS_PER_TURN = 50;
  private static final int SENDS_PER_TURN = 2_000;

  private FakeStartMain() {}

  /** Runs the measurements and prints a line for each. */
  public static void main(String[] arguments) throws Exception {
    List<String> wanted = List.of(arguments);
    boolean isApache = wanted.contains("apache");
    boolean isInMemory = wanted.contains("memory");
    if (wanted.contains("tests")) {
      measureTests();
      return;
    }
    for (int i = 1; i <= STARTS; i++) {
      long begin = System.nanoTime();
      try (FakeCluster cluster = cluster(isInMemory)) {
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

  private static FakeCluster cluster(boolean isInMemory) {
    FakeClusterBuilder builder = FakeCluster.builder().topic("orders", 1);
    return isInMemory ? builder.inMemory().start() : builder.start();
  }

  /** Runs tests in turns, each with its own cluster, then with an existing one. The first turns warm up. */
  private static void measureTests() throws InterruptedException {
    long[][] nanos = new long[2][TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
      for (int form = 0; form < 2; form++) {
        long begin = System.nanoTime();
        for (int i = 0; i < TESTS_PER_TURN; i++) {
          try (FakeCluster cluster = cluster(form == 1)) {
            sendByDecant(cluster);
          }
        }
        nanos[form][turn] = (System.nanoTime() - begin) / TESTS_PER_TURN;
      }
    }
    print("a cluster, a client and a send", nanos);
    try (FakeCluster ports = cluster(false);
        FakeCluster memory = cluster(true);
        KafkaClient byPorts = KafkaClient.connect(ports.bootstrap());
        KafkaClient inMemory = KafkaClient.connect(memory.bootstrap());
        Producer<String, String> first = byPorts.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Producer<String, String> second = inMemory.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int turn = 0; turn < TURNS; turn++) {
        nanos[0][turn] = nanosPerSend(first);
        nanos[1][turn] = nanosPerSend(second);
      }
      print("a send with a client that is there", nanos);
      for (int turn = 0; turn < TURNS; turn++) {
        nanos[0][turn] = nanosPerReset(ports, first);
        nanos[1][turn] = nanosPerReset(memory, second);
      }
      print("a reset and a send with a client that is there", nanos);
    }
  }

  private static long nanosPerSend(Producer<String, String> producer) throws InterruptedException {
    long begin = System.nanoTime();
    for (int i = 0; i < SENDS_PER_TURN; i++) {
      producer.sendAndWait("k", "v");
    }
    return (System.nanoTime() - begin) / SENDS_PER_TURN;
  }

  /** Measures a reset, after which the client finds its connections closed, and waits before it connects again. */
  private static long nanosPerReset(FakeCluster cluster, Producer<String, String> producer)
      throws InterruptedException {
    long begin = System.nanoTime();
    cluster.reset();
    producer.sendAndWait("k", "v");
    return System.nanoTime() - begin;
  }

  private static void print(String what, long[][] nanos) {
    for (int form = 0; form < 2; form++) {
      long[] sorted = Arrays.copyOfRange(nanos[form], WARM_UP_TURNS, TURNS);
      Arrays.sort(sorted);
      System.out.printf("%s, %s: median %d us, %d to %d%n", form == 1 ? "in memory" : "by ports", what,
          sorted[sorted.length / 2] / 1_000, sorted[0] / 1_000, sorted[sorted.length - 1] / 1_000);
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
