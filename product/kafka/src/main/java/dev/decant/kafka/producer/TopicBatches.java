package dev.decant.kafka.producer;

import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The batches of one topic in a Produce request, in the order in which they were added. Owner of the loop only. */
final class TopicBatches {
  private @Nullable ProduceTopic topic;
  /** The topic's id when the request was built. */
  private Uuid id = Uuid.ZERO;
  /** The batches; null in place of one that was taken out. */
  private final List<@Nullable ProducerBatch> batches = new ArrayList<>();
  /** Index at which the response is expected to continue. */
  private int next;

  void begin(ProduceTopic of) {
    topic = of;
    id = of.id();
    next = 0;
    batches.clear();
  }

  void clear() {
    topic = null;
    batches.clear();
  }

  boolean isOf(ProduceTopic other) {
    return topic == other;
  }

  boolean isNamed(String name) {
    ProduceTopic of = topic;
    return of != null && of.name.equals(name);
  }

  boolean hasId(long mostSignificantBits, long leastSignificantBits) {
    return id.mostSignificantBits() == mostSignificantBits && id.leastSignificantBits() == leastSignificantBits;
  }

  @Nullable
  ProduceTopic topic() {
    return topic;
  }

  Uuid id() {
    return id;
  }

  void add(ProducerBatch batch) {
    batches.add(batch);
  }

  int size() {
    return batches.size();
  }

  /** The batch at an index; null if it was taken out. */
  @Nullable
  ProducerBatch get(int index) {
    return batches.get(index);
  }

  boolean has(int partition) {
    for (int i = 0; i < batches.size(); i++) {
      ProducerBatch batch = batches.get(i);
      if (batch != null && batch.sends.partition == partition) {
        return true;
      }
    }
    return false;
  }

  /** Takes out the batch of a partition; null if there is none. */
  @Nullable
  ProducerBatch take(int partition) {
    int index = indexOf(partition);
    if (index < 0) {
      return null;
    }
    next = index + 1 < batches.size() ? index + 1 : 0;
    return batches.set(index, null);
  }

  /** Number of records in the batch of a partition; 0 if it was taken out, or is not part of the request. */
  int records(int partition) {
    int index = indexOf(partition);
    ProducerBatch batch = index < 0 ? null : batches.get(index);
    return batch == null ? 0 : batch.records();
  }

  /**
   * Finds a partition; -1 if it is not there. Brokers respond in the order of the request, so it is mostly the next.
   */
  private int indexOf(int partition) {
    int size = batches.size();
    for (int i = 0; i < size; i++) {
      int index = next + i < size ? next + i : next + i - size;
      ProducerBatch batch = batches.get(index);
      if (batch != null && batch.sends.partition == partition) {
        return index;
      }
    }
    return -1;
  }
}
