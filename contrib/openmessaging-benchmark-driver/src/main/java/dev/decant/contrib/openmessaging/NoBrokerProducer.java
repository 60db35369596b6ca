package dev.decant.contrib.openmessaging;

import io.openmessaging.benchmark.driver.BenchmarkProducer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Hands records to consumers of the same process. Threads: any. */
final class NoBrokerProducer implements BenchmarkProducer {
  private final List<ConsumerCallback> callbacks;

  NoBrokerProducer(List<ConsumerCallback> callbacks) {
    this.callbacks = callbacks;
  }

  @Override
  public CompletableFuture<Void> sendAsync(Optional<String> key, byte[] payload) {
    long now = System.currentTimeMillis();
    for (ConsumerCallback callback : callbacks) {
      callback.messageReceived(payload, now);
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {
    // there is nothing to close
  }
}
