package dev.decant.fake.share;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse.PartitionData;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A share session (KIP-932): the partitions that a member fetches from one broker, and what it acknowledges there. */
final class ShareSession {
  static final int INITIAL_EPOCH = 0;
  static final int FINAL_EPOCH = -1;

  private final long connection;
  private final Map<ShareKey, Fetched> partitions = new LinkedHashMap<>();
  private int epoch = 1;

  /** A partition of a session. */
  static final class Fetched {
    private final ShareKey key;
    /** The next response has the partition, whether it has records or not. */
    private boolean isDue;

    Fetched(ShareKey key, boolean isDue) {
      this.key = key;
      this.isDue = isDue;
    }

    ShareKey key() {
      return key;
    }

    /** Whether the response has to have the partition. Notes what it says. */
    boolean isNews(PartitionData data) {
      boolean isNews = isDue || data.errorCode() != ErrorCode.NONE.code() || data.records().hasRemaining();
      isDue = data.errorCode() != ErrorCode.NONE.code();
      return isNews;
    }
  }

  ShareSession(long connection) {
    this.connection = connection;
  }

  /** The connection that has opened it: it ends with that. */
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

  /** Takes what a request adds and forgets. */
  void update(ShareFetchRequest request, boolean isFirst) {
    request.topics().forEach(topic -> topic.partitions().forEach(p -> partitions.computeIfAbsent(
        new ShareKey(topic.topicId(), p.partitionIndex()), key -> new Fetched(key, !isFirst))));
    request.forgottenTopicsData()
        .forEach(topic -> topic.partitions().forEach(p -> partitions.remove(new ShareKey(topic.topicId(), p))));
  }
}
