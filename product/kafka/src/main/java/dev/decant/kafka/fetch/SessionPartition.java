package dev.decant.kafka.fetch;

import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.FetchRequest;

/**
 * A partition in a fetch session, with the values of the last request: a seek may come between a request and its
 * response. Owner of the loop only.
 */
final class SessionPartition {
  final PartitionFetchState partition;
  /** Topic id in the last request. */
  private Uuid topicId = Uuid.ZERO;
  /** Key of its {@link SessionTopic}; {@link Uuid#ZERO} for none. */
  Uuid key = Uuid.ZERO;
  /** Offset of the last request. */
  long fetchOffset = PartitionFetchState.UNKNOWN;
  private int leaderEpoch;
  private int fetchedEpoch;
  /** Number of seeks when the last request was sent. */
  int seeks;
  /** Number of the last request that covered the partition. */
  int request;
  private final FetchRequest.FetchPartition requested = new FetchRequest.FetchPartition().logStartOffset(-1);

  SessionPartition(PartitionFetchState partition) {
    this.partition = partition;
  }

  /** Returns the key of a topic without an id; computed once. */
  Uuid nameKey() {
    return key.equals(Uuid.ZERO) ? TopicNameKey.of(partition.topic) : key;
  }

  /** Returns true if the broker has other values than the current ones. */
  boolean hasMoved() {
    return fetchOffset != partition.fetchOffset || leaderEpoch != partition.leaderEpoch
        || fetchedEpoch != partition.sentEpoch() || !topicId.equals(partition.topicId);
  }

  /** Updates the request's part with the current values. Always returns the same object. */
  FetchRequest.FetchPartition sent(int maxBytes) {
    fetchOffset = partition.fetchOffset;
    leaderEpoch = partition.leaderEpoch;
    fetchedEpoch = partition.sentEpoch();
    topicId = partition.topicId;
    return requested.partition(partition.partition).currentLeaderEpoch(leaderEpoch).fetchOffset(fetchOffset)
        .lastFetchedEpoch(fetchedEpoch).partitionMaxBytes(maxBytes);
  }

  /** Returns true if the response is still wanted. */
  boolean isCurrent() {
    return !partition.removed && partition.seeks == seeks && partition.fetchOffset == fetchOffset;
  }
}
