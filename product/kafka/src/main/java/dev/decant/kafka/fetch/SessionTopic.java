package dev.decant.kafka.fetch;

import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.FetchRequest;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The partitions of one topic in a fetch session. Owner of the loop only. */
final class SessionTopic {
  /** Id of the topic, or the {@link TopicNameKey} of its name. */
  final Uuid id;
  /** Part of the request for this topic; used again with each request. */
  final FetchRequest.FetchTopic requested;
  /** Number of the request that {@link #requested} was last filled for. */
  int request;
  /** Indexed by partition numbers, which metadata has confirmed, so they are small. */
  private @Nullable SessionPartition[] partitions = new @Nullable SessionPartition[8];
  private int size;

  SessionTopic(Uuid id, String name) {
    this.id = id;
    this.requested = new FetchRequest.FetchTopic().topicId(id).topic(name).partitions(new ArrayList<>());
  }

  @Nullable
  SessionPartition get(int number) {
    return number < 0 || number >= partitions.length ? null : partitions[number];
  }

  void put(SessionPartition entry) {
    int number = entry.partition.partition;
    if (number >= partitions.length) {
      partitions = Arrays.copyOf(partitions, Math.max(number + 1, 2 * partitions.length));
    }
    if (partitions[number] == null) {
      size++;
    }
    partitions[number] = entry;
  }

  /** Removes an entry. Returns false if it is not there, or another entry has its number. */
  boolean remove(SessionPartition entry) {
    int number = entry.partition.partition;
    if (get(number) != entry) {
      return false;
    }
    partitions[number] = null;
    size--;
    return true;
  }

  boolean isEmpty() {
    return size == 0;
  }
}
