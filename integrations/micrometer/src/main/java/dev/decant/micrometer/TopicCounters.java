package dev.decant.micrometer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.event.ProducerListener;
import io.micrometer.core.instrument.Counter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts records by topic, from binding on, under the names that Micrometer's binder for Apache's client has. Called
 * once per batch, or per partition of a poll. Any thread.
 */
final class TopicCounters implements ProducerListener, ConsumerListener {
  /** Topics may come and go: all beyond this number share one. */
  static final int MOST_TOPICS = 1_000;
  /** In place of a topic; no topic can have this name. */
  static final String OTHERS = "(others)";

  private final ByTopic sent;
  private final ByTopic bytes;
  private final ByTopic retried;
  private final ByTopic failed;
  private final ByTopic consumed;
  private final ByTopic skipped;

  TopicCounters(Meters meters) {
    sent = new ByTopic(meters, "kafka.producer.topic.record.send.total", "Records sent, repeats included");
    bytes = new ByTopic(meters, "kafka.producer.topic.byte.total", "Size of batches sent, repeats included, in bytes");
    retried = new ByTopic(meters, "kafka.producer.topic.record.retry.total", "Records that have to be sent again");
    failed = new ByTopic(meters, "kafka.producer.topic.record.error.total", "Records that failed");
    consumed = new ByTopic(meters, "kafka.consumer.fetch.manager.records.consumed.total", "Records delivered by poll");
    skipped = new ByTopic(meters, "decant.kafka.topic.records.skipped", "Undecodable records that were skipped");
  }

  @Override
  public void onBatchSent(String topic, int partition, int records, int size, int attempt) {
    sent.add(topic, records);
    bytes.add(topic, size);
  }

  @Override
  public void onBatchRetried(String topic, int partition, int records, KafkaException cause) {
    retried.add(topic, records);
  }

  @Override
  public void onBatchFailed(String topic, int partition, int records, KafkaException cause) {
    failed.add(topic, records);
  }

  @Override
  public void onDelivered(String topic, int partition, int records) {
    consumed.add(topic, records);
  }

  @Override
  public void onRecordSkipped(String topic, int partition, long offset, KafkaException cause) {
    skipped.add(topic, 1);
  }

  /** One counter for each topic. */
  private static final class ByTopic {
    private final Meters meters;
    private final String name;
    private final String description;
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    ByTopic(Meters meters, String name, String description) {
      this.meters = meters;
      this.name = name;
      this.description = description;
    }

    void add(String topic, int amount) {
      Counter counter = counters.get(topic);
      if (counter == null) {
        counter = makeSlowPath(topic);
      }
      if (counter != null) {
        counter.increment(amount);
      }
    }

    /** Null once the meters are closed. */
    private @Nullable Counter makeSlowPath(String topic) {
      return counters.computeIfAbsent(counters.size() < MOST_TOPICS ? topic : OTHERS, this::make);
    }

    private @Nullable Counter make(String topic) {
      return meters.make((registry, tags) -> Counter.builder(name).description(description).tags(tags)
          .tag("topic", topic).register(registry));
    }
  }
}
