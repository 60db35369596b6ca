package dev.decant.kafka.work;

import dev.decant.kafka.producer.SendOptions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of an asynchronous handler, which may produce results on several threads at once. A slot serves other
 * records later, and threads of a stage may go on after its end. With the slot as context, their results would become
 * those of another record, so each attempt has an object of its own.
 */
final class AsyncAttempt<K, V> implements WorkContext {
  private final Slot<K, V> slot;
  /** True once the stage is complete. Guarded by the monitor. */
  private boolean hasEnded;

  AsyncAttempt(Slot<K, V> slot) {
    this.slot = slot;
  }

  /** Refuses all further results. Any thread. */
  synchronized void end() {
    hasEnded = true;
  }

  @Override
  public synchronized int attempt() {
    requireRunning("attempt");
    return slot.attempt();
  }

  @Override
  public synchronized RecordOrigin origin() {
    requireRunning("origin");
    return slot.origin();
  }

  @Override
  public synchronized boolean isCancelled() {
    return hasEnded || slot.isCancelled();
  }

  @Override
  public synchronized <R, S> void produce(ResultTopic<R, S> topic, @Nullable R key, @Nullable S value,
      @Nullable SendOptions options) {
    requireRunning("produce");
    slot.addsResults().add(topic, key, value, options);
  }

  @Override
  public synchronized void produce(String topic, byte @Nullable [] key, byte @Nullable [] value,
      @Nullable SendOptions options) {
    Objects.requireNonNull(topic, "topic");
    requireRunning("produce");
    slot.addsResults().add(topic, key, value, options);
  }

  private void requireRunning(String what) {
    if (hasEnded) {
      throw new IllegalStateException(what + ": too late, the stage of the handler is complete");
    }
  }
}
