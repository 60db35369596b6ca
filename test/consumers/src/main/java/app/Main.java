package app;

import dev.decant.carriers.CarrierPriority;
import dev.decant.fix.FixEngine;
import dev.decant.fix.quickfix.settings.QuickFixSettings;
import dev.decant.fix.settings.SessionId;
import dev.decant.idle.IdleStrategy;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.micrometer.KafkaClientMetrics;
import dev.decant.opentelemetry.RecordPropagation;
import dev.decant.testkit.KafkaCluster;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An application that uses each published module. With the argument {@code broker} it also stores and reads a record.
 */
public final class Main {
  private Main() {
  }

  /**
   * Prints "runs" once everything has worked.
   *
   * @param arguments {@code broker}, or none
   * @throws InterruptedException never, unless somebody interrupts the main thread
   */
  public static void main(String[] arguments) throws InterruptedException {
    List<String> codecs = ServiceLoader.load(CompressionCodec.class).stream()
        .map(provider -> provider.get().type().toString()).sorted().toList();
    try (KafkaClient client = KafkaClient.builder("127.0.0.1:1").ioIdle(IdleStrategy.block()).build();
        KafkaClientMetrics metrics = new KafkaClientMetrics(client, "consumer");
        FixEngine engine = FixEngine.builder().start()) {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      metrics.bindTo(registry);
      RecordPropagation propagation = RecordPropagation.traceContext();
      System.out.println(SessionId.of("FIX.4.4", "A", "B").senderCompId() + " " + codecs + " "
          + registry.getMeters().isEmpty() + " " + propagation.getClass().getSimpleName() + " "
          + CarrierPriority.class.getSimpleName() + " " + Uuid.class.getSimpleName() + " "
          + KafkaCluster.class.getSimpleName() + " " + DecantProducer.class.getSimpleName() + " "
          + QuickFixSettings.of(Map.of(), List.of()).sessions().size());
      if (List.of(arguments).contains("broker")) {
        storeAndRead();
      }
      System.out.println("runs, in a named module: " + engine.getClass().getModule().isNamed());
    }
  }

  private static void storeAndRead() throws InterruptedException {
    try (KafkaCluster cluster = KafkaCluster.start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("orders", 1);
      try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
        orders.sendAndWait("key", "value");
      }
      AtomicInteger read = new AtomicInteger();
      try (Consumer<String, String> orders = client.consumer(Serdes.string(), Serdes.string())
          .offsetReset(OffsetReset.EARLIEST).open()) {
        orders.assign("orders", 0);
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (read.get() == 0 && System.nanoTime() < deadline) {
          orders.poll(Duration.ofMillis(100), record -> read.incrementAndGet());
        }
      }
      System.out.println("records read: " + read.get());
    }
  }
}
