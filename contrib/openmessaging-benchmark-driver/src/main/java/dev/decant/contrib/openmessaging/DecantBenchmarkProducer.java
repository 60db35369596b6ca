package dev.decant.contrib.openmessaging;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import io.openmessaging.benchmark.driver.BenchmarkProducer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Sends to one topic. Threads: any. */
final class DecantBenchmarkProducer implements BenchmarkProducer {
  private final Producer<String, byte[]> producer;

  DecantBenchmarkProducer(Producer<String, byte[]> producer) {
    this.producer = producer;
  }

  @Override
  public CompletableFuture<Void> sendAsync(Optional<String> key, byte[] payload) {
    Outcome outcome = new Outcome();
    try {
      producer.send(key.orElse(null), payload, 0, outcome);
    } catch (KafkaException e) { // closed, too large, or no memory in time: the listener is not called then
      outcome.completeExceptionally(e);
    }
    return outcome;
  }

  @Override
  public void close() {
    producer.close();
  }

  /** The future of a record that is its own listener, so that a send allocates one object. */
  private static final class Outcome extends CompletableFuture<Void> implements SendListener {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      complete(null);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      completeExceptionally(error);
    }
  }
}
