package dev.decant.spring.kafka;

import dev.decant.kafka.apache.DecantConsumer;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerFactory;

/** A consumer whose opening and end listeners of its factory hear of. */
final class ObservedConsumer<K, V> extends DecantConsumer<K, V> {
  private final String id;
  private final List<ConsumerFactory.Listener<K, V>> listeners;
  /** The thread that closes it. */
  private boolean removed;

  private ObservedConsumer(Map<String, Object> configs, @Nullable Deserializer<K> keys,
      @Nullable Deserializer<V> values, String factory, List<ConsumerFactory.Listener<K, V>> listeners) {
    super(configs, keys, values);
    this.id = factory + "." + clientId();
    this.listeners = List.copyOf(listeners);
  }

  /** Opens a consumer and tells the listeners. */
  static <K, V> ObservedConsumer<K, V> open(Map<String, Object> configs, @Nullable Deserializer<K> keys,
      @Nullable Deserializer<V> values, String factory, List<ConsumerFactory.Listener<K, V>> listeners) {
    ObservedConsumer<K, V> consumer = new ObservedConsumer<>(configs, keys, values, factory, listeners);
    consumer.listeners.forEach(listener -> listener.consumerAdded(consumer.id, consumer));
    return consumer;
  }

  /** With the number that the client makes up for itself where the settings name no client. */
  private String clientId() {
    return metrics().keySet().stream().map(name -> name.tags().get("client-id")).filter(Objects::nonNull).findFirst()
        .orElse("unknown");
  }

  @Override
  public void close() {
    end(super::close);
  }

  @Override
  @Deprecated
  public void close(Duration timeout) {
    end(() -> super.close(timeout));
  }

  @Override
  public void close(CloseOptions option) {
    end(() -> super.close(option));
  }

  /** The listeners hear of a close that fails, and not of one that is refused: the consumer is open then. */
  private void end(Runnable close) {
    try {
      close.run();
    } catch (ConcurrentModificationException | IllegalArgumentException e) {
      throw e;
    } catch (RuntimeException e) {
      tellRemoved();
      throw e;
    }
    tellRemoved();
  }

  private void tellRemoved() {
    if (!removed) {
      removed = true;
      listeners.forEach(listener -> listener.consumerRemoved(id, this));
    }
  }
}
