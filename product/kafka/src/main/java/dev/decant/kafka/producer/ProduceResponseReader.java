package dev.decant.kafka.producer;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.net.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Reads the response to a Produce request, and hands the result of each batch to {@link SentRequests}. Owner of the
 * loop only.
 *
 * <p>Brokers respond in the order of the request, so a topic and a partition are mostly where they were there.
 */
final class ProduceResponseReader {
  private static final short FIRST_WITH_LOG_START = 5;
  private static final short FIRST_WITH_MESSAGES = 8;
  private static final int SMALLEST_TOPIC_BYTES = 1;
  private static final int SMALLEST_PARTITION_BYTES = 22;
  private static final int SMALLEST_ERROR_BYTES = 6;

  private final ProduceRequestFrame request;
  private final SentRequests sent;
  private final LeaderHints hints;

  ProduceResponseReader(ProduceRequestFrame request, SentRequests sent, LeaderHints hints) {
    this.request = request;
    this.sent = sent;
    this.hints = hints;
  }

  /** Forgets what a response said that was cut off. */
  void begin() {
    hints.clear();
  }

  /** Reads the results of all topics. */
  void readTopics(ProtocolReader in, short version) {
    boolean flexible = version >= ProduceRequestFrame.FIRST_FLEXIBLE;
    int named = readCount(in, SMALLEST_TOPIC_BYTES, flexible);
    for (int t = 0; t < named; t++) {
      TopicBatches topic = version >= ProduceRequestFrame.WITH_IDS
          ? byId(in.readLong(), in.readLong(), t)
          : byName(in, flexible);
      int partitions = readCount(in, SMALLEST_PARTITION_BYTES, flexible);
      for (int p = 0; p < partitions; p++) {
        readPartition(in, topic, version);
      }
      if (flexible) {
        in.skipTaggedFields();
      }
    }
  }

  /** Reads what follows the throttle time: the addresses of leaders, if a partition named one. */
  void readEnd(ProtocolReader in) {
    if (!hints.isEmpty()) {
      hints.readEndpoints(in);
    }
  }

  private static int readCount(ProtocolReader in, int elementBytes, boolean flexible) {
    int count = flexible ? in.readCompactArrayLength(elementBytes) : in.readArrayLength(elementBytes);
    if (count < 0) {
      throw new MalformedBytesException("an array of a produce response is null");
    }
    return count;
  }

  private @Nullable TopicBatches byId(long mostSignificantBits, long leastSignificantBits, int expected) {
    int topics = request.topicCount();
    for (int i = 0; i < topics; i++) {
      TopicBatches topic = request.topic((expected + i) % topics);
      if (topic.hasId(mostSignificantBits, leastSignificantBits)) {
        return topic;
      }
    }
    return null;
  }

  private @Nullable TopicBatches byName(ProtocolReader in, boolean flexible) {
    if (request.topicCount() == 1) {
      in.skip(flexible ? in.readUnsignedVarint() - 1 : in.readShort()); // a known name: reading would make a string
      return request.topic(0);
    }
    String name = flexible ? in.readCompactString() : in.readString();
    for (int i = 0; i < request.topicCount(); i++) {
      if (request.topic(i).isNamed(name)) {
        return request.topic(i);
      }
    }
    return null;
  }

  private void readPartition(ProtocolReader in, @Nullable TopicBatches topic, short version) {
    int index = in.readInt();
    short error = in.readShort();
    long baseOffset = in.readLong();
    long logAppendTime = in.readLong();
    if (version >= FIRST_WITH_LOG_START) {
      in.skip(Long.BYTES);
    }
    RefusedRecords named = null;
    String message = null;
    if (version >= FIRST_WITH_MESSAGES) {
      boolean flexible = version >= ProduceRequestFrame.FIRST_FLEXIBLE;
      named = readRecordErrors(in, topic, index, flexible);
      message = readNullableString(in, flexible);
    }
    if (version >= ProduceRequestFrame.FIRST_FLEXIBLE) {
      hints.readLeader(in, topic == null ? null : topic.topic(), index);
    }
    ProducerBatch batch = topic == null ? null : topic.take(index);
    if (batch == null) {
      return;
    }
    if (error == 0 || error == ErrorCode.DUPLICATE_SEQUENCE_NUMBER.code()) {
      sent.onStored(batch, baseOffset, logAppendTime);
    } else {
      ErrorCode code = ErrorCode.of(error);
      sent.onRefused(batch, new KafkaException(code, where(batch.sends.topic(), index) + " answered " + code
          + (message == null ? "" : " (" + Printable.of(message) + ")")), named);
    }
  }

  private String where(String topic, int partition) {
    return "produce to " + topic + "-" + partition + ": broker " + request.brokerName();
  }

  /**
   * Reads what is wrong with single records (KIP-467). Indexes outside of the batch are left out, so the batch bounds
   * what is kept. Returns null if no record of the batch is named.
   */
  private @Nullable RefusedRecords readRecordErrors(ProtocolReader in, @Nullable TopicBatches topic, int partition,
      boolean flexible) {
    int count = readCount(in, SMALLEST_ERROR_BYTES, flexible);
    if (count == 0) {
      return null;
    }
    ProduceTopic of = topic == null ? null : topic.topic();
    int records = topic == null ? 0 : topic.records(partition);
    RefusedRecords named = new RefusedRecords(where(of == null ? "" : of.name, partition));
    for (int i = 0; i < count; i++) {
      int index = in.readInt();
      String message = readNullableString(in, flexible);
      if (flexible) {
        in.skipTaggedFields();
      }
      if (index >= 0 && index < records) {
        named.add(index, message == null ? "" : Printable.of(message));
      }
    }
    return named.isEmpty() ? null : named;
  }

  private static @Nullable String readNullableString(ProtocolReader in, boolean flexible) {
    return flexible ? in.readCompactNullableString() : in.readNullableString();
  }
}
