package dev.decant.kafka.consumer;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.internal.OffsetWindow;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the offsets that may be committed while threads finish records in any order. A group commits one offset per
 * partition: the first record that is not done bounds it.
 *
 * <pre>
 * consumer.poll(timeout, record -&gt; {
 *   acknowledgements.delivered(record);
 *   workers.take(record.topic(), record.partition(), record.offset(), record.value());
 * });
 * consumer.commitAsync(acknowledgements.committable(), null);
 *
 * acknowledgements.acknowledge(topic, partition, offset);   // a worker, when it is done
 * </pre>
 *
 * <p>For a consumer without automatic commits. Thread-safe; each call holds a lock during one search.
 */
public final class Acknowledgements {
  /** More partitions than any topic has. A larger number is a mistake, and would cost its size in memory. */
  private static final int MOST_PARTITIONS = 1 << 20;

  private final Map<String, @Nullable OffsetWindow[]> windows = new HashMap<>();

  /** Creates an empty set of acknowledgements. */
  public Acknowledgements() {}

  /**
   * Registers a record that is going to be processed. Records of a partition come in order. If one comes before the
   * last one, the application has sought back, and the records before are forgotten.
   *
   * @param record a view, within the handler
   */
  public synchronized void delivered(ConsumerRecord<?, ?> record) {
    delivered(record.topic(), record.partition(), record.offset());
  }

  /**
   * Registers a record by its topic, partition and offset.
   *
   * @param topic the topic
   * @param partition the partition, less than 1,048,576
   * @param offset of the record
   * @throws IllegalArgumentException if no partition can have that number
   */
  public synchronized void delivered(String topic, int partition, long offset) {
    requirePartition(topic, partition);
    if (partition >= MOST_PARTITIONS) {
      throw new IllegalArgumentException("partition " + partition + " of " + topic + " is more than "
          + (MOST_PARTITIONS - 1) + "; give the number that the record has");
    }
    @Nullable
    OffsetWindow[] known = windows.get(topic);
    if (known == null || known.length <= partition) {
      known = known == null ? new @Nullable OffsetWindow[partition + 1] : Arrays.copyOf(known, partition + 1);
      windows.put(topic, known);
    }
    OffsetWindow window = known[partition];
    if (window == null) {
      window = new OffsetWindow();
      known[partition] = window;
    }
    window.add(offset);
  }

  /**
   * Returns a policy for {@link ConsumerBuilder#onBadRecord}. A record that the given policy skips counts as done, also
   * if the handler has not called {@link #delivered} for it. With the given policy alone, the record would hold back
   * all later commits of its partition.
   *
   * @param policy decides
   * @return the policy to be set
   */
  public BadRecordPolicy skipping(BadRecordPolicy policy) {
    Objects.requireNonNull(policy, "policy");
    return (record, cause) -> {
      BadRecordPolicy.Decision decision = policy.decide(record, cause);
      if (decision == BadRecordPolicy.Decision.SKIP) {
        skipped(cause.topic(), cause.partition(), cause.offset());
      }
      return decision;
    };
  }

  private synchronized void skipped(String topic, int partition, long offset) {
    OffsetWindow window = window(topic, partition);
    if (window == null || window.last() != offset) {
      delivered(topic, partition, offset);
    }
    acknowledge(topic, partition, offset);
  }

  /**
   * Marks a record as done.
   *
   * @param topic the topic
   * @param partition the partition
   * @param offset of the record
   * @return false if the record is not known: it is done already, was sought away from, or its partition was revoked
   * @throws IllegalArgumentException if the partition is negative
   */
  public synchronized boolean acknowledge(String topic, int partition, long offset) {
    OffsetWindow window = window(topic, partition);
    return window != null && window.acknowledge(offset);
  }

  private static void requirePartition(String topic, int partition) {
    Objects.requireNonNull(topic, "topic");
    if (partition < 0) {
      throw new IllegalArgumentException(
          "partition " + partition + " of " + topic + " is negative; give the number that"
              + " the record has");
    }
  }

  private @Nullable OffsetWindow window(String topic, int partition) {
    requirePartition(topic, partition);
    @Nullable
    OffsetWindow[] known = windows.get(topic);
    return known == null || partition >= known.length ? null : known[partition];
  }

  /**
   * Returns the offsets that may be committed.
   *
   * @return for each partition the offset behind its last record before which all are done; without partitions whose
   *     first record is not done
   */
  public synchronized Map<TopicPartition, OffsetAndMetadata> committable() {
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    windows.forEach((topic, known) -> {
      for (int p = 0; p < known.length; p++) {
        OffsetWindow window = known[p];
        if (window != null && window.committable() >= 0) {
          offsets.put(new TopicPartition(topic, p), new OffsetAndMetadata(window.committable()));
        }
      }
    });
    return offsets;
  }

  /**
   * Returns the number of records of a partition that are not done, or wait for earlier ones.
   *
   * @param topic the topic
   * @param partition the partition
   * @return 0 or more; an application may bound its pending records by it
   * @throws IllegalArgumentException if the partition is negative
   */
  public synchronized int outstanding(String topic, int partition) {
    OffsetWindow window = window(topic, partition);
    return window == null ? 0 : window.size();
  }

  /**
   * Forgets partitions that were revoked or lost. To be called by a {@link RebalanceListener}.
   *
   * @param partitions the partitions
   */
  public synchronized void forget(Collection<TopicPartition> partitions) {
    for (TopicPartition p : partitions) {
      @Nullable
      OffsetWindow[] known = windows.get(p.topic());
      if (known != null && p.partition() < known.length) {
        known[p.partition()] = null;
      }
    }
    // topics come and go: an application with many of them would keep an array for each
    windows.values().removeIf(known -> Arrays.stream(known).allMatch(Objects::isNull));
  }
}
