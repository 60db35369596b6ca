package dev.decant.kafka.fetch;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.protocol.ProtocolReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over a fetch response of versions 4 to 17, in place and without an object per topic or partition. {@link
 * #wrap} validates the whole response, so iteration cannot fail. Reusable, not thread-safe.
 *
 * <pre>
 *   since version   new or changed
 *    5              start offset of a partition's log
 *    7              error and session (KIP-227)
 *   11              replica to read from (KIP-392)
 *   12              compact lengths, tagged fields
 *   13              topics by id; before, by name
 *   16              addresses of leaders (KIP-951)
 * </pre>
 */
final class FetchResponseReader {
  static final int FIRST_WITH_LOG_START = 5;
  static final int FIRST_WITH_SESSION = 7;
  static final int FIRST_WITH_REPLICA = 11;
  static final int FIRST_FLEXIBLE = 12;
  static final int FIRST_WITH_IDS = 13;
  static final int FIRST_WITH_NODES = 16;
  // Sizes of the shortest form of each element.
  private static final int TOPIC_BYTES = 18;
  private static final int NAMED_TOPIC_BYTES = 3;
  private static final int PARTITION_BYTES = 30;
  private static final int ABORTED_BYTES = 16;
  private static final int NODE_BYTES = 11;
  private static final int TAGGED_FIELD_BYTES = 2;
  private static final int NODES_TAG = 0;
  private static final int DIVERGING_TAG = 0;
  private static final int LEADER_TAG = 1;
  private static final int SNAPSHOT_TAG = 2;

  /** Address of a broker to which partitions of the response have moved (KIP-951). */
  record Node(int id, BrokerAddress address) {}

  private ProtocolReader in = new ProtocolReader();
  private short version;
  private boolean flexible;
  private int throttleMillis;
  private short topLevelError;
  private int sessionId;
  private List<Node> nodes = List.of();

  private int topicsLeft;
  private boolean inTopic;
  private long topicIdHigh;
  private long topicIdLow;

  private int partitionsLeft;
  private int partition;
  private short error;
  private long highWatermark;
  private long lastStableOffset;
  private int abortedAt;
  private int abortedCount;
  private long logStart;
  private int preferredReplica;
  private int recordsFrom;
  private int recordsTo;
  /** Announced bytes of the partition's records; a response that was cut off has fewer. */
  private int recordsBytes;
  private int divergingEpoch;
  private long divergingEnd;
  private int leader;
  private int leaderEpoch;

  /**
   * Wraps a response and validates it.
   *
   * @throws MalformedBytesException if it does not follow the schema
   */
  void wrap(ProtocolReader body, short bodyVersion) {
    readBegin(body, bodyVersion);
    int topics = in.position();
    beginTopics();
    boolean more = true;
    while (more) {
      more = nextTopic(); // skips the partitions of the topic before
    }
    readTags();
    in.position(topics);
    beginTopics();
  }

  /**
   * Wraps the beginning of a response whose rest is missing, and finds the partition in whose records it ends.
   *
   * @return true if the reader is at that partition; false if the response ends elsewhere
   * @throws MalformedBytesException if the throttle time, the error or the session is missing
   */
  boolean findCut(ProtocolReader body, short bodyVersion) {
    readBegin(body, bodyVersion);
    try {
      beginTopics();
      boolean more = true;
      while (more) {
        recordsBytes = 0;
        more = nextTopic();
        while (partitionsLeft > 0) {
          recordsBytes = 0;
          nextPartition();
        }
      }
      return false;
    } catch (MalformedBytesException e) {
      return recordsBytes > in.remaining();
    }
  }

  private void readBegin(ProtocolReader body, short bodyVersion) {
    in = body;
    version = bodyVersion;
    flexible = version >= FIRST_FLEXIBLE;
    throttleMillis = in.readInt();
    boolean hasSession = version >= FIRST_WITH_SESSION;
    topLevelError = hasSession ? in.readShort() : 0;
    sessionId = hasSession ? in.readInt() : 0;
    nodes = List.of();
  }

  private void beginTopics() {
    topicsLeft = count("topics", version >= FIRST_WITH_IDS ? TOPIC_BYTES : NAMED_TOPIC_BYTES);
    inTopic = false;
    partitionsLeft = 0;
  }

  private int count(String what, int elementBytes) {
    int count = length(elementBytes);
    if (count < 0) {
      throw new MalformedBytesException("the " + what + " of a fetch response are null");
    }
    return count;
  }

  private int length(int elementBytes) {
    return flexible ? in.readCompactArrayLength(elementBytes) : in.readArrayLength(elementBytes);
  }

  private void readTags() {
    nodes = List.of();
    if (!flexible) {
      return;
    }
    int tags = tagCount();
    for (int i = 0; i < tags; i++) {
      int tag = in.readUnsignedVarint();
      int size = in.readUnsignedVarint();
      if (tag == NODES_TAG && version >= FIRST_WITH_NODES) {
        int end = tagEnd(size);
        nodes = readNodes();
        requireEnd(end);
      } else {
        in.skip(size);
      }
    }
  }

  private List<Node> readNodes() {
    int count = count("node endpoints", NODE_BYTES);
    List<Node> read = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int id = in.readInt();
      String host = in.readCompactString();
      read.add(new Node(id, new BrokerAddress(host, in.readInt())));
      in.readCompactNullableString(); // rack
      in.skipTaggedFields();
    }
    return read;
  }

  private int tagCount() {
    int count = in.readUnsignedVarint();
    if (count < 0 || (long) count * TAGGED_FIELD_BYTES > in.remaining()) {
      throw new MalformedBytesException(Integer.toUnsignedString(count) + " tagged fields announced, " + in.remaining()
          + " bytes remain");
    }
    return count;
  }

  private int tagEnd(int size) {
    if (size < 0 || size > in.remaining()) {
      throw new MalformedBytesException("a tagged field of " + Integer.toUnsignedString(size) + " bytes announced, "
          + in.remaining() + " remain");
    }
    return in.position() + size;
  }

  private void requireEnd(int end) {
    if (in.position() != end) {
      throw new MalformedBytesException(
          "a tagged field of a fetch response ends at " + in.position() + ", announced was "
              + end);
    }
  }

  int throttleMillis() {
    return throttleMillis;
  }

  short topLevelError() {
    return topLevelError;
  }

  int sessionId() {
    return sessionId;
  }

  List<Node> nodes() {
    return nodes;
  }

  /** Moves to the next topic, and skips the remaining partitions of the one before. Returns false at the end. */
  boolean nextTopic() {
    while (partitionsLeft > 0) {
      nextPartition();
    }
    if (inTopic) {
      skipTags();
      inTopic = false;
    }
    if (topicsLeft == 0) {
      return false;
    }
    topicsLeft--;
    inTopic = true;
    if (version >= FIRST_WITH_IDS) {
      topicIdHigh = in.readLong();
      topicIdLow = in.readLong();
    } else {
      readName();
    }
    partitionsLeft = count("partitions", PARTITION_BYTES);
    return true;
  }

  private void skipTags() {
    if (flexible) {
      in.skipTaggedFields();
    }
  }

  private void readName() {
    int length = flexible ? in.readUnsignedVarint() - 1 : in.readShort();
    if (length < 0) {
      throw new MalformedBytesException("a topic's name of " + length + " bytes announced");
    }
    int from = in.position();
    in.skip(length);
    topicIdHigh = TopicNameKey.high(in.buffer(), from, in.position());
    topicIdLow = TopicNameKey.low(in.buffer(), from, in.position());
  }

  /** Returns the upper half of the topic's id, or of its {@link TopicNameKey}. */
  long topicIdHigh() {
    return topicIdHigh;
  }

  long topicIdLow() {
    return topicIdLow;
  }

  /** Moves to the next partition of the topic. Returns false at the end. */
  boolean nextPartition() {
    if (partitionsLeft == 0) {
      return false;
    }
    partitionsLeft--;
    partition = in.readInt();
    error = in.readShort();
    highWatermark = in.readLong();
    lastStableOffset = in.readLong();
    logStart = version >= FIRST_WITH_LOG_START ? in.readLong() : -1;
    abortedCount = length(ABORTED_BYTES);
    abortedAt = in.position();
    for (int i = 0; i < abortedCount; i++) {
      in.skip(2 * Long.BYTES);
      skipTags();
    }
    preferredReplica = version >= FIRST_WITH_REPLICA ? in.readInt() : -1;
    int length = Math.max(0, requireLength(flexible ? in.readUnsignedVarint() - 1 : in.readInt()));
    recordsFrom = in.position();
    recordsBytes = length;
    in.skip(length);
    recordsTo = in.position();
    readPartitionTags();
    return true;
  }

  private static int requireLength(int length) {
    if (length < -1) {
      throw new MalformedBytesException("records of " + Integer.toUnsignedString(length) + " bytes announced");
    }
    return length;
  }

  private void readPartitionTags() {
    divergingEpoch = -1;
    divergingEnd = -1;
    leader = -1;
    leaderEpoch = -1;
    if (!flexible) {
      return;
    }
    int tags = tagCount();
    for (int i = 0; i < tags; i++) {
      int tag = in.readUnsignedVarint();
      int end = tagEnd(in.readUnsignedVarint());
      switch (tag) {
        case DIVERGING_TAG -> {
          divergingEpoch = in.readInt();
          divergingEnd = in.readLong();
          in.skipTaggedFields();
        }
        case LEADER_TAG -> {
          leader = in.readInt();
          leaderEpoch = in.readInt();
          in.skipTaggedFields();
        }
        case SNAPSHOT_TAG -> { // sent to followers only
          in.skip(Long.BYTES + Integer.BYTES);
          in.skipTaggedFields();
        }
        default -> in.position(end);
      }
      requireEnd(end);
    }
  }

  int partition() {
    return partition;
  }

  short error() {
    return error;
  }

  long highWatermark() {
    return highWatermark;
  }

  long lastStableOffset() {
    return lastStableOffset;
  }

  /** Returns the start offset of the log; -1 if the response has none. */
  long logStart() {
    return logStart;
  }

  /** Returns the follower to read from; -1 for none. */
  int preferredReplica() {
    return preferredReplica;
  }

  /** Returns the epoch up to which the logs agree; -1 if they do not diverge. */
  int divergingEpoch() {
    return divergingEpoch;
  }

  long divergingEnd() {
    return divergingEnd;
  }

  /** Returns the current leader; -1 if the broker does not send it. */
  int leader() {
    return leader;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  /** Returns the aborted transactions, whose records must not be delivered; null if there are none. */
  @Nullable
  AbortedTransactions aborted() {
    if (abortedCount <= 0) {
      return null;
    }
    int here = in.position();
    in.position(abortedAt);
    AbortedTransactions aborted = AbortedTransactions.read(in, abortedCount, flexible);
    in.position(here);
    return aborted;
  }

  /** Returns the index of the records; equal to {@link #recordsTo()} if there are none. */
  int recordsFrom() {
    return recordsFrom;
  }

  int recordsTo() {
    return recordsTo;
  }

  /** Returns the announced size of the partition's records, some of which may be missing. */
  int recordsBytes() {
    return recordsBytes;
  }

  /** Returns the reader of a response that was cut off; its limit is where the bytes end. */
  ProtocolReader body() {
    return in;
  }
}
