package dev.decant.fake.api;

import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchResponse.PartitionData;

/** A partition of a fetch or of a fetch session: the client's last request for it, and the last response (KIP-227). */
final class FetchedPartition {
  private static final long UNKNOWN = -1;

  private final PartitionKey key;
  private FetchPartition request;
  private long highWatermark = UNKNOWN;
  private long logStart = UNKNOWN;

  /** A partition as the client names it: by name, or by id with an empty name. */
  record PartitionKey(String topic, Uuid topicId, int partition) {}

  FetchedPartition(PartitionKey key, FetchPartition request) {
    this.key = key;
    this.request = request;
  }

  PartitionKey key() {
    return key;
  }

  /** Returns true if the client has named the topic by its id. */
  boolean isById() {
    return !key.topicId().equals(Uuid.ZERO);
  }

  FetchPartition request() {
    return request;
  }

  void request(FetchPartition newer) {
    request = newer;
  }

  /**
   * Returns true if an incremental response must have the partition, because something is new since the last one;
   * records what this response says.
   */
  boolean isNews(PartitionData data) {
    boolean isNews = data.highWatermark() != highWatermark || data.logStartOffset() != logStart
        || data.preferredReadReplica() != UNKNOWN || data.divergingEpoch().epoch() != UNKNOWN || hasRecords(data);
    highWatermark = data.highWatermark();
    logStart = data.logStartOffset();
    if (data.errorCode() != 0) { // forget what was said: the next response must have the error, too
      highWatermark = UNKNOWN;
      return true;
    }
    return isNews;
  }

  static boolean hasRecords(PartitionData data) {
    var records = data.records();
    return records != null && records.hasRemaining();
  }
}
