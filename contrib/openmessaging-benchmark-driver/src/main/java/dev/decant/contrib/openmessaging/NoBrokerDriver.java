package dev.decant.contrib.openmessaging;

import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.BenchmarkDriver;
import io.openmessaging.benchmark.driver.BenchmarkProducer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import java.io.File;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.bookkeeper.stats.StatsLogger;

/**
 * A control without client and broker: hands each record to the consumers within the call that sends it. Its figures
 * are what the harness itself costs.
 */
public final class NoBrokerDriver implements BenchmarkDriver {
  /** The harness's side of all consumers: each of them gets all records. */
  private final List<ConsumerCallback> callbacks = new CopyOnWriteArrayList<>();

  /** Creates a driver. The harness does so by reflection. */
  public NoBrokerDriver() {}

  @Override
  public void initialize(File configurationFile, StatsLogger statsLogger) {
    // there is nothing to open
  }

  @Override
  public String getTopicNamePrefix() {
    return "no-broker";
  }

  @Override
  public CompletableFuture<Void> createTopic(String topic, int partitions) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<BenchmarkProducer> createProducer(String topic) {
    return CompletableFuture.completedFuture(new NoBrokerProducer(callbacks));
  }

  @Override
  public CompletableFuture<BenchmarkConsumer> createConsumer(String topic, String subscriptionName,
      ConsumerCallback consumerCallback) {
    callbacks.add(consumerCallback);
    return CompletableFuture.completedFuture(() -> callbacks.remove(consumerCallback));
  }

  @Override
  public void close() {
    callbacks.clear();
  }
}
