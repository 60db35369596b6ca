package dev.decant.lab.driver.bare;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.RequestHeader;
import dev.decant.kafka.record.RecordBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An incremental fetch session (KIP-227) over all partitions of a topic, from offset 0 on. The first request names
 * every partition, each later one only partitions whose offset has moved. The session reads only the headers of the
 * batches, and verifies no checksum. {@link Batches} gets the position of each batch. One thread at a time. After
 * construction, nothing is allocated unless a response is an error.
 *
 * <pre>
 *   a request behind its header; -1 is what nobody asks for, counts are of the compact kind
 *   | replica -1 int32 | max wait int32 | min bytes int32 | max bytes int32 | isolation int8
 *   | session int32 | epoch int32 | topics 0 or 1: name, partitions ..., tags | forgotten topics 0 | rack "" | tags |
 *
 *   one of its partitions
 *    0              4                 8              16                      20                   28          32
 *   | number int32 | leader epoch -1 | offset int64 | last fetched epoch -1 | log start int64 -1 | max bytes | tags |
 *
 *   a response behind its header
 *   | throttle int32 | error int16 | session int32 | topics 0 or 1: name, partitions ..., tags | tags |
 *
 *   one of its partitions
 *    0              4             6                      14                         22                30
 *   | number int32 | error int16 | high watermark int64 | last stable offset int64 | log start int64 | aborted ...
 *   | preferred replica int32 | records: length, batches, perhaps the last one cut | tags |
 * </pre>
 */
final class BareFetch {
  /** The last version of Fetch with the topic's name; later ones have its id (KIP-516). */
  static final short VERSION = 12;
  /** How long the broker holds a fetch back when it has no records: Kafka's default of {@code fetch.max.wait.ms}. */
  static final int MAX_WAIT_MILLIS = 500;
  /** The most bytes of all partitions together, and of each: Kafka's default of {@code max.partition.fetch.bytes}. */
  static final int MAX_BYTES = 1024 * 1024;

  private static final int MIN_BYTES = 1;
  private static final byte READ_UNCOMMITTED = 0;
  private static final int NONE = -1;
  /** Most bytes of a request without its partitions: a topic's name has at most 249 bytes. */
  private static final int MOST_REQUEST_BYTES = 1024;
  private static final int REQUEST_PARTITION_BYTES = 33;
  /**
   * Most bytes of a response beside its records, and for each partition. A first batch may exceed {@link #MAX_BYTES}.
   */
  private static final int MOST_OTHER_BYTES = 4096;
  private static final int MOST_PARTITION_BYTES = 64;
  private static final int MIN_TOPIC_BYTES = 3;
  private static final int MIN_PARTITION_BYTES = 37;
  private static final int OFFSETS_BYTES = 3 * Long.BYTES;
  /** Size of an aborted transaction in a response: a producer id and a first offset, and tags behind them. */
  private static final int ABORTED_BYTES = 2 * Long.BYTES;

  private final byte[] topic;
  private final Batches batches;
  private final ByteBuffer frame;
  private final ProtocolWriter out = new ProtocolWriter();
  /** Index in the frame after the part that no request changes. */
  private final int changing;
  /** For each partition, the next offset to fetch. */
  private final long[] offsets;
  /** Partitions that the next request names; the first {@link #movedCount} entries count. */
  private final int[] moved;
  private int movedCount;
  /** For each partition, the number of the last response that named it; a second time in one response is an error. */
  private final long[] respondedIn;
  private long responses;
  private int sessionId;
  private int epoch;

  /** Takes the position of each batch in a response, on the thread that reads the response. */
  interface Batches {
    /**
     * Takes a whole batch.
     *
     * @param buffer holds the batch until this method returns
     * @param partition number of the batch's partition
     * @param from index of the header, whose length, offsets and count are checked
     * @param to index after the last byte
     * @throws IOException if the batch cannot be read; the session ends then
     */
    void batch(ByteBuffer buffer, int partition, int from, int to) throws IOException;
  }

  BareFetch(String topic, int partitions) {
    this(topic, partitions, (partition, offset, bytes, records) -> {});
  }

  BareFetch(String topic, int partitions, Batches batches) {
    this(topic, partitions, MAX_WAIT_MILLIS, batches);
  }

  BareFetch(String topic, int partitions, int maxWaitMillis, Batches batches) {
    this.batches = batches;
    this.topic = topic.getBytes(StandardCharsets.UTF_8);
    offsets = new long[partitions];
    respondedIn = new long[partitions];
    moved = new int[partitions];
    rewind();
    frame = ByteBuffer.allocateDirect(MOST_REQUEST_BYTES + partitions * REQUEST_PARTITION_BYTES);
    out.wrap(frame, Integer.BYTES, frame.capacity());
    RequestHeader.write(out, ApiKey.FETCH, VERSION, 0, BareMessages.CLIENT_ID);
    out.writeInt(NONE);
    out.writeInt(maxWaitMillis);
    out.writeInt(MIN_BYTES);
    out.writeInt(MAX_BYTES);
    out.writeByte(READ_UNCOMMITTED);
    changing = out.position();
  }

  /** Goes back to offset 0 of every partition. Call it only when no response is in flight. */
  void rewind() {
    Arrays.fill(offsets, 0);
    for (int p = 0; p < moved.length; p++) {
      moved[p] = p;
    }
    movedCount = moved.length;
  }

  /** Returns the most bytes that a response for this number of partitions may have. */
  static int mostResponseBytes(int partitions) {
    return MAX_BYTES + MOST_OTHER_BYTES + partitions * MOST_PARTITION_BYTES;
  }

  /**
   * Writes the next request. Call it only when the response to the request before is read.
   *
   * @return the request with its length in front; valid until the next call
   */
  ByteBuffer request() {
    frame.clear();
    out.position(changing);
    out.writeInt(sessionId);
    out.writeInt(epoch);
    BareMessages.writeCount(out, movedCount == 0 ? 0 : 1);
    if (movedCount > 0) {
      writeMoved();
    }
    BareMessages.writeCount(out, 0);
    BareMessages.writeCount(out, 0);
    BareMessages.writeNoTags(out);
    frame.putInt(0, out.position() - Integer.BYTES);
    return frame.limit(out.position());
  }

  private void writeMoved() {
    BareMessages.writeCount(out, topic.length);
    out.writeBytes(topic, 0, topic.length);
    BareMessages.writeCount(out, movedCount);
    for (int i = 0; i < movedCount; i++) {
      int partition = moved[i];
      out.writeInt(partition);
      out.writeInt(NONE);
      out.writeLong(offsets[partition]);
      out.writeInt(NONE);
      out.writeLong(NONE);
      out.writeInt(MAX_BYTES);
      BareMessages.writeNoTags(out);
    }
    BareMessages.writeNoTags(out);
  }

  /**
   * Reads the response to the last request, and moves the offsets behind its records.
   *
   * @param in stands at the response's body
   * @return the number of records in it
   * @throws IOException when the broker refuses a partition or the response is malformed; the session ends then
   */
  long read(ProtocolReader in) throws IOException {
    try {
      return readResponse(in);
    } catch (MalformedBytesException e) {
      throw new IOException("the broker's response to a fetch is malformed: " + e.getMessage(), e);
    }
  }

  private long readResponse(ProtocolReader in) throws IOException {
    in.readInt(); // the throttle time: the lab's brokers have no quotas
    short error = in.readShort();
    if (error != 0) {
      throw BareMessages.refused("refused a fetch", error);
    }
    readSession(in.readInt());
    movedCount = 0;
    responses++;
    int topics = in.readCompactArrayLength(MIN_TOPIC_BYTES);
    if (topics < 0 || topics > 1) {
      throw new IOException("the broker answered a fetch for " + topics + " topics instead of one");
    }
    long records = topics == 0 ? 0 : readTopic(in);
    in.skipTaggedFields();
    if (in.remaining() > 0) {
      throw new IOException("the broker's response to a fetch has " + in.remaining() + " bytes too many");
    }
    epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    return records;
  }

  /** Takes the session id from the first response, and checks that later responses name the same one. */
  private void readSession(int answered) throws IOException {
    if (answered == 0) {
      throw new IOException("the broker has no fetch session for us");
    }
    if (epoch == 0) {
      sessionId = answered;
    } else if (answered != sessionId) {
      throw new IOException("the broker answered for the fetch session " + answered + " instead of " + sessionId);
    }
  }

  private long readTopic(ProtocolReader in) throws IOException {
    int length = in.readUnsignedVarint() - 1;
    int at = in.position();
    in.skip(length);
    if (!isTopic(in.buffer(), at, length)) {
      throw new IOException("the broker answered a fetch for another topic");
    }
    int partitions = in.readCompactArrayLength(MIN_PARTITION_BYTES);
    long records = 0;
    for (int i = 0; i < partitions; i++) {
      records += readPartition(in);
    }
    in.skipTaggedFields();
    return records;
  }

  private boolean isTopic(ByteBuffer buffer, int at, int length) {
    if (length != topic.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (buffer.get(at + i) != topic[i]) {
        return false;
      }
    }
    return true;
  }

  private long readPartition(ProtocolReader in) throws IOException {
    int partition = in.readInt();
    if (partition < 0 || partition >= offsets.length) {
      throw new IOException("the fetch session has no partition " + partition);
    }
    if (respondedIn[partition] == responses) {
      throw new IOException("the broker answered a fetch twice for partition " + partition);
    }
    respondedIn[partition] = responses;
    short error = in.readShort();
    if (error != 0) {
      throw BareMessages.refused("refused the fetch of partition " + partition, error);
    }
    in.skip(OFFSETS_BYTES);
    // -1 (null) unless the request reads committed records only
    int aborted = in.readCompactArrayLength(ABORTED_BYTES + 1);
    for (int i = 0; i < aborted; i++) {
      in.skip(ABORTED_BYTES);
      in.skipTaggedFields();
    }
    in.skip(Integer.BYTES);
    int bytes = in.readUnsignedVarint() - 1;
    int from = in.position();
    in.skip(bytes == NONE ? 0 : bytes); // null stands for no records
    long records = walk(in.buffer(), partition, from, in.position());
    in.skipTaggedFields();
    return records;
  }

  /**
   * Walks from header to header and returns the number of records. The broker may cut the last batch at the byte limit;
   * that batch is fetched again.
   */
  private long walk(ByteBuffer buffer, int partition, int from, int to) throws IOException {
    long next = offsets[partition];
    long records = 0;
    int at = from;
    while (to - at >= RecordBatchHeader.BYTES) {
      int length = buffer.getInt(at + RecordBatchHeader.BATCH_LENGTH);
      byte magic = buffer.get(at + RecordBatchHeader.MAGIC);
      if (magic != RecordBatchHeader.MAGIC_V2
          || length < RecordBatchHeader.BYTES - RecordBatchHeader.UNCOUNTED_BYTES) {
        throw damaged(partition, "magic " + magic + " and length " + length);
      }
      if (length > to - at - RecordBatchHeader.UNCOUNTED_BYTES) {
        break;
      }
      long base = buffer.getLong(at + RecordBatchHeader.BASE_OFFSET);
      int delta = buffer.getInt(at + RecordBatchHeader.LAST_OFFSET_DELTA);
      int count = buffer.getInt(at + RecordBatchHeader.RECORD_COUNT);
      if (base < next || delta < 0 || base > Long.MAX_VALUE - delta - 1) {
        throw damaged(partition, "offset " + base + " and last offset delta " + delta + " where offset " + next
            + " was wanted");
      }
      if (count < 0 || count - 1 > delta) {
        throw damaged(partition, count + " records and last offset delta " + delta);
      }
      int end = at + RecordBatchHeader.UNCOUNTED_BYTES + length;
      batches.batch(buffer, partition, at, end);
      next = base + delta + 1;
      records += count;
      at = end;
    }
    if (next > offsets[partition]) {
      offsets[partition] = next;
      moved[movedCount++] = partition;
    }
    return records;
  }

  private static IOException damaged(int partition, String how) {
    return new IOException("the broker sent a batch of partition " + partition + " with " + how);
  }
}
