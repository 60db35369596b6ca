package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import java.util.concurrent.CompletableFuture;

/** A record's outcome as a completion stage. It allocates an object per record. */
final class AckStage implements SendListener {
  private final CompletableFuture<Ack> future = new CompletableFuture<>();

  CompletableFuture<Ack> future() {
    return future;
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {
    future.complete(new Ack(partition, offset, timestamp));
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    future.completeExceptionally(error);
  }
}
