package dev.decant.kafka.work.apache;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.kafka.work.bridge.TopicAccess;
import dev.decant.kafka.work.bridge.WorkBridge;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;

/** Makes the parts of a work from Apache's clients. */
final class ApacheBridge<K, V> implements WorkBridge<K, V> {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final ApacheClients clients;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;

  ApacheBridge(ApacheClients clients, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.clients = clients;
    this.keys = keys;
    this.values = values;
  }

  @Override
  public RecordSource<K, V> open(Subscription subscription, RebalanceListener listener) {
    Map<String, Object> settings = clients.settings().member(subscription.group(), subscription.isOrdered());
    Consumer<byte[], byte[]> consumer = clients.consumer(settings);
    try {
      ApacheSource<K, V> source = new ApacheSource<>(consumer, listener, keys, values);
      source.subscribe(subscription.topics());
      return source;
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
  }

  @Override
  public CopySink sink(List<String> topics) {
    return new ApacheSink(clients.producer(clients.settings().producer()));
  }

  @Override
  public TopicAccess topics() {
    return new ApacheTopics(clients);
  }

  @Override
  public Map<TopicPartition, Long> scan(Map<TopicPartition, Long> from, ScanHandler handler)
      throws InterruptedException {
    try (Consumer<byte[], byte[]> reader = clients.consumer(clients.settings().reader())) {
      return scan(reader, from, handler);
    } catch (InterruptException e) {
      throw ApacheFailures.interrupted(e);
    } catch (RuntimeException e) {
      throw ApacheFailures.of(e);
    }
  }

  private static Map<TopicPartition, Long> scan(Consumer<byte[], byte[]> reader, Map<TopicPartition, Long> from,
      ScanHandler handler) {
    Map<org.apache.kafka.common.TopicPartition, TopicPartition> ids = new HashMap<>();
    from.keySet().forEach(id -> ids.put(ApacheOffsets.of(id), id));
    Map<org.apache.kafka.common.TopicPartition, Long> ends = reader.endOffsets(ids.keySet(), TIMEOUT);
    Map<org.apache.kafka.common.TopicPartition, Long> begins = reader.beginningOffsets(ids.keySet(), TIMEOUT);
    reader.assign(ids.keySet());
    Set<org.apache.kafka.common.TopicPartition> left = new HashSet<>();
    ids.forEach((apaches, id) -> {
      long first = Math.max(of(from, id), of(begins, apaches));
      reader.seek(apaches, first);
      if (first < of(ends, apaches)) {
        left.add(apaches);
      }
    });
    while (!left.isEmpty()) {
      for (ConsumerRecord<byte[], byte[]> record : reader.poll(POLL)) {
        var apaches = new org.apache.kafka.common.TopicPartition(record.topic(), record.partition());
        if (record.offset() < of(ends, apaches)) {
          handler.onRecord(ApacheOffsets.decants(apaches), record.offset(), record.key());
        }
      }
      left.removeIf(apaches -> reader.position(apaches, TIMEOUT) >= of(ends, apaches));
    }
    Map<TopicPartition, Long> read = new HashMap<>();
    ids.forEach((apaches, id) -> read.put(id, of(ends, apaches)));
    return read;
  }

  private static <T> long of(Map<T, Long> offsets, T id) {
    Long offset = offsets.get(id);
    if (offset == null) {
      throw new IllegalStateException("nothing is known of " + id);
    }
    return offset;
  }
}
