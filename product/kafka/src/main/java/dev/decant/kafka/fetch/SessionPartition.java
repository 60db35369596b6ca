package dev.decant.kafka.fetch;

import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.FetchRequest;

/**
 * A partition as a broker has it in a fetch session, and as the last request asked for it: a seek may come between a
 * request and its response. Owner of the loop only.
 */
final class SessionPartition {
  final PartitionFetchState partition;
  /** The id of its topic when it was sent last. */
  private Uuid topicId = Uuid.ZERO;
  /** The {@link SessionTopic} that it is in; {@link Uuid#ZERO} for none. */
  Uuid key = Uuid.ZERO;
  /** As last sent, and so the offset that the last request asked for. */
  long fetchOffset = PartitionFetchState.UNKNOWN;
  private int leaderEpoch;
  private int fetchedEpoch;
  /** The partition's number of seeks when the last request left. */
  int seeks;
  /** The last request that asked for it. */
  int request;
  private final FetchRequest.FetchPartition asked = new FetchRequest.FetchPartition().logStartOffset(-1);

  SessionPartition(PartitionFetchState partition) {
    this.partition = partition;
  }

  /** What its topic goes by where topics have no ids; found once. */
  Uuid nameKey() {
    return key.equals(Uuid.ZERO) ? TopicNameKey.of(partition.topic) : key;
  }

  /** Whether the broker has to be told where the partition stands now. */
  boolean hasMoved() {
    return fetchOffset != partition.fetchOffset || leaderEpoch != partition.leaderEpoch
        || fetchedEpoch != partition.sentEpoch() || !topicId.equals(partition.topicId);
  }

  /** What a request is to say of it now; always the same object. */
  FetchRequest.FetchPartition sent(int maxBytes) {
    fetchOffset = partition.fetchOffset;
    leaderEpoch = partition.leaderEpoch;
    fetchedEpoch = partition.sentEpoch();
    topicId = partition.topicId;
    return asked.partition(partition.partition).currentLeaderEpoch(leaderEpoch).fetchOffset(fetchOffset)
        .lastFetchedEpoch(fetchedEpoch).partitionMaxBytes(maxBytes);
  }

  /** Whether the response is still wanted. */
  boolean isCurrent() {
    return !partition.removed && partition.seeks == seeks && partition.fetchOffset == fetchOffset;
  }
}
