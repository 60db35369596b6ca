package dev.decant.fake.share;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse.PartitionData;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A share session (KIP-932): the partitions that a member fetches from one broker and acknowledges there. */
final class ShareSession {
  static final int INITIAL_EPOCH = 0;
  static final int FINAL_EPOCH = -1;

  private final long connection;
  private final Map<ShareKey, Fetched> partitions = new LinkedHashMap<>();
  private int epoch = 1;

  /** A partition of a session. */
  static final class Fetched {
    private final ShareKey key;
    /** True if the next response must have the partition, with records or without. */
    private boolean isDue;

    Fetched(ShareKey key, boolean isDue) {
      this.key = key;
      this.isDue = isDue;
    }

    ShareKey key() {
      return key;
    }

    /** Returns true if the response must have the partition; records what this response says. */
    boolean isNews(PartitionData data) {
      boolean isNews = isDue || data.errorCode() != ErrorCode.NONE.code() || data.records().hasRemaining();
      isDue = data.errorCode() != ErrorCode.NONE.code();
      return isNews;
    }
  }

  ShareSession(long connection) {
    this.connection = connection;
  }

  /** Returns the connection that has opened the session, and with which it ends. */
  long connection() {
    return connection;
  }

  int epoch() {
    return epoch;
  }

  void advance() {
    epoch = next(epoch);
  }

  static int next(int epoch) {
    return epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
  }

  Collection<Fetched> partitions() {
    return List.copyOf(partitions.values());
  }

  /** Applies the added and forgotten partitions of a request. */
  void update(ShareFetchRequest request, boolean isFirst) {
    request.topics().forEach(topic -> topic.partitions().forEach(p -> partitions.computeIfAbsent(
        new ShareKey(topic.topicId(), p.partitionIndex()), key -> new Fetched(key, !isFirst))));
    request.forgottenTopicsData()
        .forEach(topic -> topic.partitions().forEach(p -> partitions.remove(new ShareKey(topic.topicId(), p))));
  }
}
