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
 * Which records are done, where they are done in any order by any threads: a group can only commit up to an offset, so
 * what may be committed is what lies before the first record that is not done.
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
 * <p>
 * For a consumer without automatic commits. Any thread; a lock is held for the length of a search.
 */
public final class Acknowledgements {
  /** More than any topic has: a number beyond is a mistake, and would cost its size in memory. */
  private static final int MOST_PARTITIONS = 1 << 20;

  private final Map<String, @Nullable OffsetWindow[]> windows = new HashMap<>();

  /** Knows of no records yet. */
  public Acknowledgements() {}

  /**
   * A record is going to be worked on. Records of a partition come in their order; one that comes before the last of
   * them says that the application has sought back, and all before are forgotten.
   *
   * @param record in the handler that it was given to
   */
  public synchronized void delivered(ConsumerRecord<?, ?> record) {
    delivered(record.topic(), record.partition(), record.offset());
  }

  /**
   * The same where there is no record at hand.
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
   * A policy for {@link ConsumerBuilder#onBadRecord}: what another one skips counts as done, whether the handler had
   * called {@link #delivered} for it or not. Without it such a record would hold back what may be committed.
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
   * A record is done.
   *
   * @param topic the topic
   * @param partition the partition
   * @param offset of the record
   * @return false if it is not known: done already, sought away from, or its partition was given up
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
   * What may be committed.
   *
   * @return for each partition the offset behind the last record before which all are done; a partition of which the
   *         first record is not done yet is not there
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
   * How many records of a partition are not done, or wait for others that are not.
   *
   * @param topic the topic
   * @param partition the partition
   * @return 0 or more; by this an application may bound what it has under way
   * @throws IllegalArgumentException if the partition is negative
   */
  public synchronized int outstanding(String topic, int partition) {
    OffsetWindow window = window(topic, partition);
    return window == null ? 0 : window.size();
  }

  /**
   * Forgets partitions that were given up or lost, for {@link RebalanceListener}.
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
    windows.values().removeIf(known -> Arrays.stream(known).allMatch(Objects::isNull)); // topics may come and go
  }
}
