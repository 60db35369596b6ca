package dev.decant.contrib.openmessaging;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.serialization.Serdes;
import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.BenchmarkDriver;
import io.openmessaging.benchmark.driver.BenchmarkProducer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.stats.StatsLogger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;

/**
 * Runs the harness's producers and consumers on one {@link KafkaClient}. Apache's admin client creates the topics,
 * since Decant has none.
 *
 * <p>Threads: the harness calls it from one thread at a time.
 */
public final class DecantBenchmarkDriver implements BenchmarkDriver {
  /** What {@link #initialize} has opened; null before and after. */
  private @Nullable Opened opened;

  /** Creates a driver that is not open yet. The harness does so by reflection. */
  public DecantBenchmarkDriver() {}

  /** The settings of a run, and the clients that it uses. */
  private record Opened(short replicas, Map<String, String> topic, Map<String, String> producer,
      Map<String, String> consumer, KafkaClient client, Admin admin, List<DecantBenchmarkConsumer> consumers) {}

  @Override
  public void initialize(File configurationFile, StatsLogger statsLogger) throws IOException {
    DriverSettings settings = DriverSettings.read(configurationFile);
    Map<String, String> common = DriverSettings.parse(settings.commonConfig);
    Map<String, String> topic = DriverSettings.parse(settings.topicConfig);
    Map<String, String> producer = DriverSettings.parse(settings.producerConfig);
    Map<String, String> consumer = DriverSettings.parse(settings.consumerConfig);
    KafkaClient client = KafkaClient.fromProperties(common);
    opened = new Opened(settings.replicationFactor, topic, producer, consumer, client,
        Admin.create(new HashMap<>(common)), new ArrayList<>());
  }

  private Opened opened() {
    Opened now = opened;
    if (now == null) {
      throw new IllegalStateException("the driver is not open: call initialize first");
    }
    return now;
  }

  @Override
  public String getTopicNamePrefix() {
    return "decant-benchmark";
  }

  @Override
  public CompletableFuture<Void> createTopic(String topic, int partitions) {
    return createTopics(List.of(new TopicInfo(topic, partitions)));
  }

  @Override
  public CompletableFuture<Void> createTopics(List<TopicInfo> topics) {
    Opened run = opened();
    List<NewTopic> requested = topics.stream()
        .map(topic -> new NewTopic(topic.getTopic(), topic.getPartitions(), run.replicas).configs(run.topic))
        .toList();
    return run.admin.createTopics(requested).all().toCompletionStage().toCompletableFuture();
  }

  @Override
  public CompletableFuture<BenchmarkProducer> createProducer(String topic) {
    Opened run = opened();
    try {
      return CompletableFuture.completedFuture(new DecantBenchmarkProducer(run.client
          .producer(Serdes.string(), Serdes.bytes()).topic(topic).properties(run.producer).open()));
    } catch (KafkaException e) {
      return CompletableFuture.failedFuture(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<BenchmarkConsumer> createConsumer(String topic, String subscriptionName,
      ConsumerCallback consumerCallback) {
    Opened run = opened();
    boolean commitsByItself = Boolean.parseBoolean(run.consumer.get("enable.auto.commit"));
    DecantBenchmarkConsumer consumer = new DecantBenchmarkConsumer(run.client
        .consumer(Serdes.string(), Serdes.bytes()).properties(run.consumer).group(subscriptionName).subscribe(topic)
        .open(), consumerCallback, !commitsByItself);
    run.consumers.add(consumer);
    consumer.start();
    return CompletableFuture.completedFuture(consumer);
  }

  /** {@inheritDoc} The client closes the producers that are still open. */
  @Override
  public void close() throws InterruptedException {
    Opened run = opened;
    if (run == null) {
      return;
    }
    opened = null;
    try (run.client; run.admin) {
      for (DecantBenchmarkConsumer consumer : run.consumers) {
        consumer.close();
      }
    }
  }
}
