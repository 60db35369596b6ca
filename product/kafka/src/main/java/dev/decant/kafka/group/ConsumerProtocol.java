package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.net.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that members of a classic group send each other through the coordinator, which does not read them (Kafka's
 * {@code ConsumerProtocolSubscription} and {@code ConsumerProtocolAssignment}). Numbers are big-endian. Texts begin
 * with an int16 length, arrays and bytes with an int32 length; -1 is null.
 *
 * <pre>
 *  subscription                                  assignment
 *  int16   version, 3                            int16   version, 3
 *  array   topics: text                          array   topic: text, array of int32 partitions
 *  bytes   user data, or null                    bytes   user data, or null
 *  array   owned: text, array of int32   v1+
 *  int32   generation of those           v2+
 *  text    rack, or null                 v3+
 * </pre>
 *
 * <p>A version above 3 is read as 3: newer ones only add fields at the end.
 */
final class ConsumerProtocol {
  /** Kafka's {@code protocol_type} of consumers. */
  static final String TYPE = "consumer";
  static final short VERSION = 3;
  private static final int FIRST_WITH_OWNED = 1;
  private static final int FIRST_WITH_GENERATION = 2;
  private static final int FIRST_WITH_RACK = 3;
  private static final int LEAST_TEXT = Short.BYTES;
  private static final int LEAST_TOPIC = Short.BYTES + Integer.BYTES;

  private ConsumerProtocol() {}

  /** Writes a subscription; the member's ids are not part of it. */
  static ByteBuffer subscription(Subscriber member) {
    Map<String, List<Integer>> owned = byTopic(member.owned());
    List<String> topics = member.topics().stream().sorted().toList();
    String rack = member.rack();
    int size = Short.BYTES + 4 * Integer.BYTES + member.userData().remaining() + sizeOf(owned) + Short.BYTES
        + (rack == null ? 0 : utf8(rack));
    for (String topic : topics) {
      size += Short.BYTES + utf8(topic);
    }
    ByteBuffer bytes = ByteBuffer.allocate(size);
    ProtocolWriter out = new ProtocolWriter(bytes, 0, size);
    out.writeShort(VERSION);
    out.writeInt(topics.size());
    topics.forEach(out::writeString);
    writeBytes(out, member.userData());
    writePartitions(out, owned);
    out.writeInt(member.ownedGeneration());
    out.writeNullableString(rack);
    return bytes.limit(out.position());
  }

  /** Writes an assignment. */
  static ByteBuffer assignment(Collection<TopicPartition> partitions) {
    return assignment(partitions, ByteBuffer.allocate(0));
  }

  /** Writes an assignment with data for the member's assignor. */
  static ByteBuffer assignment(Collection<TopicPartition> partitions, ByteBuffer userData) {
    Map<String, List<Integer>> topics = byTopic(partitions);
    int size = Short.BYTES + Integer.BYTES + sizeOf(topics) + userData.remaining();
    ByteBuffer bytes = ByteBuffer.allocate(size);
    ProtocolWriter out = new ProtocolWriter(bytes, 0, size);
    out.writeShort(VERSION);
    writePartitions(out, topics);
    writeBytes(out, userData);
    return bytes.limit(out.position());
  }

  /**
   * Reads a member's subscription.
   *
   * @throws KafkaException if the bytes are malformed; the message names the member
   */
  static Subscriber readSubscription(String memberId, @Nullable String instanceId, ByteBuffer bytes) {
    try {
      ProtocolReader in = reader(bytes);
      int version = version(in);
      List<String> topics = new ArrayList<>();
      int count = in.readArrayLength(LEAST_TEXT);
      for (int i = 0; i < count; i++) {
        topics.add(in.readString());
      }
      ByteBuffer userData = in.readNullableBytes();
      Collection<TopicPartition> owned = version >= FIRST_WITH_OWNED ? readPartitions(in) : List.of();
      int generation = version >= FIRST_WITH_GENERATION ? in.readInt() : -1;
      String rack = version >= FIRST_WITH_RACK ? in.readNullableString() : null;
      return new Subscriber(memberId, instanceId, topics, List.copyOf(owned), generation, rack,
          userData == null ? ByteBuffer.allocate(0) : copy(userData));
    } catch (RuntimeException e) {
      throw new KafkaException(ErrorCode.ASSIGNMENT_FAILED,
          "the subscription of member " + Printable.of(memberId) + " cannot be read: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Reads the partitions of an assignment; empty if there are no bytes.
   *
   * @throws KafkaException if the bytes are malformed
   */
  static Set<TopicPartition> readAssignment(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) {
      return Set.of();
    }
    try {
      ProtocolReader in = reader(bytes);
      version(in);
      return readPartitions(in);
    } catch (RuntimeException e) {
      throw new KafkaException(ErrorCode.ASSIGNMENT_FAILED, "the assignment cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Reads an assignment's data for the member's assignor; empty if there is none.
   *
   * @throws KafkaException if the bytes are malformed
   */
  static ByteBuffer readAssignmentUserData(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) {
      return ByteBuffer.allocate(0);
    }
    try {
      ProtocolReader in = reader(bytes);
      version(in);
      readPartitions(in);
      ByteBuffer userData = in.remaining() == 0 ? null : in.readNullableBytes();
      return userData == null ? ByteBuffer.allocate(0) : copy(userData);
    } catch (RuntimeException e) {
      throw new KafkaException(ErrorCode.ASSIGNMENT_FAILED, "the assignment cannot be read: " + e.getMessage(), e);
    }
  }

  /** Copies bytes of a response, whose memory is used again before the leader has read them. */
  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  private static ProtocolReader reader(ByteBuffer bytes) {
    return new ProtocolReader(bytes, bytes.position(), bytes.limit());
  }

  private static int version(ProtocolReader in) {
    int version = in.readShort();
    if (version < 0) {
      throw new IllegalArgumentException("version " + version);
    }
    return version;
  }

  private static Set<TopicPartition> readPartitions(ProtocolReader in) {
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    int topics = in.readArrayLength(LEAST_TOPIC);
    for (int t = 0; t < topics; t++) {
      String topic = in.readString();
      int count = in.readArrayLength(Integer.BYTES);
      for (int i = 0; i < count; i++) {
        partitions.add(new TopicPartition(topic, in.readInt()));
      }
    }
    return partitions;
  }

  private static Map<String, List<Integer>> byTopic(Collection<TopicPartition> partitions) {
    Map<String, List<Integer>> topics = new TreeMap<>();
    partitions.forEach(p -> topics.computeIfAbsent(p.topic(), key -> new ArrayList<>()).add(p.partition()));
    return topics;
  }

  private static int sizeOf(Map<String, List<Integer>> topics) {
    int size = Integer.BYTES;
    for (Map.Entry<String, List<Integer>> topic : topics.entrySet()) {
      size += LEAST_TOPIC + utf8(topic.getKey()) + Integer.BYTES * topic.getValue().size();
    }
    return size;
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static void writePartitions(ProtocolWriter out, Map<String, List<Integer>> topics) {
    out.writeInt(topics.size());
    topics.forEach((topic, partitions) -> {
      out.writeString(topic);
      out.writeInt(partitions.size());
      partitions.forEach(out::writeInt);
    });
  }

  /** Writes empty bytes as null, as Apache's consumer does. */
  private static void writeBytes(ProtocolWriter out, ByteBuffer bytes) {
    if (!bytes.hasRemaining()) {
      out.writeInt(-1);
    } else {
      out.writeInt(bytes.remaining());
      out.writeBytes(bytes.duplicate());
    }
  }
}
