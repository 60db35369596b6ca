package dev.decant.brokers;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.runtime.Finding;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Opens clients and producers as its input says; what they log goes to standard error. */
final class RuntimeFindingsJvm {
  /** Held, since the JDK forgets the level of a logger that nobody refers to. */
  private static final Logger LOGGER = Logger.getLogger("dev.decant");

  private RuntimeFindingsJvm() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println("ok " + String.join(" ", answer(line, arguments[0], arguments[1])));
    }
  }

  private static List<String> answer(String request, String bootstrap, String topic) throws Exception {
    switch (request) {
      case "off" -> LOGGER.setLevel(Level.OFF);
      case "on" -> LOGGER.setLevel(Level.INFO);
      case "open" -> {
        return openAndClose(bootstrap, topic);
      }
      case "open at once" -> openManyAtOnce(bootstrap, topic);
      case "open unchecked" -> {
        try (KafkaClient client = KafkaClient.builder(bootstrap).runtimeCheck(false).build()) {
          return ids(client);
        }
      }
      default -> throw new IllegalArgumentException(request);
    }
    return List.of();
  }

  /** Returns what is found with the client alone, then with a producer, then with a consumer, too. */
  @SuppressWarnings("try") // what an open client counts is looked at, not the client
  private static List<String> openAndClose(String bootstrap, String topic) throws InterruptedException {
    try (KafkaClient client = KafkaClient.connect(bootstrap)) {
      List<String> found = new ArrayList<>(ids(client));
      found.add("+");
      try (Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic(topic).open()) {
        producer.send(null, new byte[1]);
        found.addAll(ids(client));
        found.add("+");
        try (Consumer<byte[], byte[]> consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).open()) {
          found.addAll(ids(client));
        }
      }
      return found;
    }
  }

  private static void openManyAtOnce(String bootstrap, String topic) throws Exception {
    int threads = 8;
    CyclicBarrier barrier = new CyclicBarrier(threads);
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> opened = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        opened.add(executor.submit(() -> {
          barrier.await(30, TimeUnit.SECONDS);
          return openAndClose(bootstrap, topic);
        }));
      }
      for (Future<?> each : opened) {
        each.get(60, TimeUnit.SECONDS);
      }
    }
  }

  private static List<String> ids(KafkaClient client) {
    return client.runtimeFindings().stream().map(Finding::id).toList();
  }
}
