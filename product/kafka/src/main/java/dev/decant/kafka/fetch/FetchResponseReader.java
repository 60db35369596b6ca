package dev.decant.kafka.fetch;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.protocol.ProtocolReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over a fetch response of version 4 to 17: the same that the generated message would say, in place and
 * without an object per topic or partition. The whole response is looked through first, so that who moves through it
 * knows that it is well-formed. Reusable, not thread safe.
 *
 * <pre>
 *   from version   what comes in, goes or changes
 *    5             where the log of a partition starts
 *    7             error and session (KIP-227)
 *   11             the replica to read from (KIP-392)
 *   12             compact lengths, tagged fields
 *   13             topics by id; before, by name
 *   16             addresses of leaders (KIP-951)
 * </pre>
 */
final class FetchResponseReader {
  static final int FIRST_WITH_LOG_START = 5;
  static final int FIRST_WITH_SESSION = 7;
  static final int FIRST_WITH_REPLICA = 11;
  static final int FIRST_FLEXIBLE = 12;
  static final int FIRST_WITH_IDS = 13;
  static final int FIRST_WITH_NODES = 16;
  // What the shortest form of each takes at least.
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

  /** Where a broker is to which partitions of the response have moved (KIP-951). */
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
  /** Bytes of the records that are announced, of which some may be missing where a response is cut off. */
  private int recordsBytes;
  private int divergingEpoch;
  private long divergingEnd;
  private int leader;
  private int leaderEpoch;

  /**
   * Turns to a response; what was read before is forgotten.
   *
   * @throws MalformedBytesException if it does not follow the schema
   */
  void wrap(ProtocolReader body, short bodyVersion) {
    readBegin(body, bodyVersion);
    int topics = in.position();
    beginTopics();
    boolean more = true;
    while (more) {
      more = nextTopic(); // passes the partitions of the one before
    }
    readTags();
    in.position(topics);
    beginTopics();
  }

  /**
   * Turns to the begin of a response of which the rest is missing, and looks for the partition in whose records it is
   * cut off.
   *
   * @return true if it is at that partition; else it was cut off elsewhere
   * @throws MalformedBytesException if not even throttle time, error and session are there
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
      in.readCompactNullableString(); // the rack
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

  /** Moves to the next topic, behind what is left of the one before; false if there is none. */
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

  /** Of the topic's id, or of {@link TopicNameKey}. */
  long topicIdHigh() {
    return topicIdHigh;
  }

  long topicIdLow() {
    return topicIdLow;
  }

  /** Moves to the next partition of the topic; false if there is none. */
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
        case SNAPSHOT_TAG -> { // for followers
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

  /** The follower to read from; -1 for none. */
  long logStart() {
    return logStart;
  }

  int preferredReplica() {
    return preferredReplica;
  }

  /** The epoch up to which the logs agree; -1 if they do. */
  int divergingEpoch() {
    return divergingEpoch;
  }

  long divergingEnd() {
    return divergingEnd;
  }

  /** Who leads now; -1 if the broker does not say. */
  int leader() {
    return leader;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  /** The transactions of which no record is for the application; null for none, as mostly. */
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

  /** Where the records are; nothing if {@link #recordsTo()} is the same. */
  int recordsFrom() {
    return recordsFrom;
  }

  int recordsTo() {
    return recordsTo;
  }

  /** Bytes of the records of the partition, whether they are all there or not. */
  int recordsBytes() {
    return recordsBytes;
  }

  /** Where what there is of a response that was cut off is, and where it ends. */
  ProtocolReader body() {
    return in;
  }
}
