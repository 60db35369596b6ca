package dev.decant.lab.driver.bare;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.RequestHeader;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Requests over a {@link BareSocket}, and readers of their responses: the leader of a topic, and one record for a
 * partition. {@link BareFetch} has the fetches, and {@link BareBatches} requests with many records.
 */
final class BareMessages {
  static final short PRODUCE_VERSION = 12; // the last version with the topic's name; later ones have its id (KIP-516)
  static final short METADATA_VERSION = 12;
  /** The client id in the header of every request. */
  static final String CLIENT_ID = "bare-socket";
  private static final int PARTITION = 0;
  private static final int NO_LEADER = -1;
  private static final short LEADER_ONLY = 1;
  static final int TIMEOUT_MILLIS = 30_000;
  /** Most bytes of a request without its records: a topic's name has at most 249 bytes. */
  static final int MOST_BYTES = 1024;
  /** Most bytes of a Metadata response without its partitions. */
  private static final int MOST_CLUSTER_BYTES = 64 * 1024;
  /** Most bytes of a partition with some replicas in a Metadata response. */
  private static final int MOST_PARTITION_BYTES = 128;
  /** Least bytes of a topic in a response: name, count and tags. */
  static final int MIN_TOPIC_BYTES = 3;
  /** Least bytes of a partition in a Produce response: number, error and three offsets. */
  static final int MIN_PARTITION_BYTES = 30;

  private BareMessages() {}

  /**
   * Makes a Produce request of one record without key for partition 0: {@code acks=1}, not idempotent, not compressed.
   *
   * @return the request with its length in front
   */
  static ByteBuffer produce(String topic, byte[] value) {
    return produce(topic, PARTITION, value);
  }

  /** Makes a Produce request for any partition. */
  static ByteBuffer produce(String topic, int partition, byte[] value) {
    ByteBuffer batch = batch(value);
    ProduceRequest request = new ProduceRequest().acks(LEADER_ONLY).timeoutMs(TIMEOUT_MILLIS)
        .topicData(List.of(new ProduceRequest.TopicProduceData().name(topic)
            .partitionData(List.of(new ProduceRequest.PartitionProduceData().index(partition).records(batch)))));
    return frame(ApiKey.PRODUCE, PRODUCE_VERSION, batch.remaining(), out -> request.write(out, PRODUCE_VERSION));
  }

  private static ByteBuffer batch(byte[] value) {
    int recordBytes = RecordWriter.totalSize(
        RecordWriter.bodySize(0, 0, RecordWriter.NULL, value.length, RecordWriter.NO_HEADERS_BYTES));
    ByteBuffer batch = ByteBuffer.allocate(RecordBatchHeader.BYTES + recordBytes);
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseTimestamp = System.currentTimeMillis();
    header.maxTimestamp = header.baseTimestamp;
    header.recordCount = 1;
    header.writeTo(batch, 0, recordBytes);
    RecordWriter.write(batch, RecordBatchHeader.BYTES, 0, 0, null, value);
    RecordBatchHeader.seal(new CRC32C(), batch, 0, batch.capacity());
    return batch;
  }

  /**
   * Reads the response to a request for partition 0; allocates nothing unless it throws.
   *
   * @throws IOException when the record is not stored
   */
  static void requireStored(ProtocolReader response) throws IOException {
    requireStored(response, PARTITION);
  }

  /** Reads the response to a request for any partition. */
  static void requireStored(ProtocolReader response, int expected) throws IOException {
    requireOne("topics", response.readCompactArrayLength(MIN_TOPIC_BYTES));
    response.skip(response.readUnsignedVarint() - 1);
    requireOne("partitions", response.readCompactArrayLength(MIN_PARTITION_BYTES));
    int partition = response.readInt();
    short error = response.readShort();
    if (error != ErrorCode.NONE.code()) {
      throw refused("did not store the record in partition " + partition, error);
    }
    if (partition != expected) {
      throw new IOException("the broker answered for partition " + partition + " instead of " + expected);
    }
  }

  /**
   * Makes a Metadata request for one topic.
   *
   * @return the request with its length in front
   */
  static ByteBuffer metadata(String topic) {
    MetadataRequest request = new MetadataRequest().allowAutoTopicCreation(false)
        .topics(List.of(new MetadataRequest.MetadataRequestTopic().name(topic)));
    return frame(ApiKey.METADATA, METADATA_VERSION, 0, out -> request.write(out, METADATA_VERSION));
  }

  /** Returns the most bytes that a Metadata response may have for a topic of this number of partitions. */
  static int mostMetadataBytes(int partitions) {
    return MOST_CLUSTER_BYTES + partitions * MOST_PARTITION_BYTES;
  }

  /**
   * Reads a Metadata response.
   *
   * @param partitions number of partitions that one broker must lead, from the first one on
   * @return the address of their leader
   * @throws IOException when the partitions have no leader or several
   */
  static InetSocketAddress leader(ProtocolReader response, int partitions) throws IOException {
    MetadataResponse metadata = MetadataResponse.read(response, METADATA_VERSION);
    requireOne("topics", metadata.topics().size());
    MetadataResponse.MetadataResponseTopic topic = metadata.topics().getFirst();
    requireNone("does not know the topic", topic.errorCode());
    int[] leaders = leaders(topic, partitions);
    for (int p = 0; p < partitions; p++) {
      if (leaders[p] == NO_LEADER) {
        throw new IOException("the broker knows no leader of partition " + p);
      }
      if (leaders[p] != leaders[0]) {
        throw new IOException("one broker has to lead all partitions, but partition 0 is led by " + leaders[0]
            + " and partition " + p + " by " + leaders[p]);
      }
    }
    return metadata.brokers().stream().filter(broker -> broker.nodeId() == leaders[0])
        .map(broker -> new InetSocketAddress(broker.host(), broker.port())).findFirst()
        .orElseThrow(() -> new IOException("the broker does not know where broker " + leaders[0] + " is"));
  }

  private static int[] leaders(MetadataResponse.MetadataResponseTopic topic, int partitions) {
    int[] leaders = new int[partitions];
    Arrays.fill(leaders, NO_LEADER);
    for (MetadataResponse.MetadataResponsePartition partition : topic.partitions()) {
      int index = partition.partitionIndex();
      if (index >= 0 && index < partitions) {
        leaders[index] = partition.leaderId();
      }
    }
    return leaders;
  }

  private static ByteBuffer frame(ApiKey api, short version, int recordBytes, Consumer<ProtocolWriter> body) {
    ByteBuffer frame = ByteBuffer.allocateDirect(MOST_BYTES + recordBytes);
    ProtocolWriter out = new ProtocolWriter(frame, Integer.BYTES, frame.capacity());
    RequestHeader.write(out, api, version, 0, CLIENT_ID);
    body.accept(out);
    frame.putInt(0, out.position() - Integer.BYTES);
    return frame.limit(out.position());
  }

  /** Writes the number of elements of a compact array; also the length of a compact string or of compact bytes. */
  static void writeCount(ProtocolWriter out, int count) {
    out.writeUnsignedVarint(count + 1);
  }

  static void writeNoTags(ProtocolWriter out) {
    out.writeUnsignedVarint(0);
  }

  static void requireOne(String what, int count) throws IOException {
    if (count != 1) {
      throw new IOException("the broker answered for " + count + " " + what + " instead of one");
    }
  }

  private static void requireNone(String what, short error) throws IOException {
    if (error != ErrorCode.NONE.code()) {
      throw refused(what, error);
    }
  }

  /** Makes the exception for an error code in a response. */
  static IOException refused(String what, short error) {
    return new IOException("the broker " + what + ": " + ErrorCode.of(error) + " (" + error + ")");
  }
}
