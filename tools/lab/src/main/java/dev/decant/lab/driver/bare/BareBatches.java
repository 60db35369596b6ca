package dev.decant.lab.driver.bare;

import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.producer.ProducerSetting;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.RequestHeader;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordWriter;
import dev.decant.lab.driver.Payloads;
import dev.decant.lab.driver.WorkSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Fills Produce requests with one batch of the payloads for each partition, in order: the first partition gets the
 * first records. The producer is not idempotent. One thread at a time. After the requests are made, nothing is
 * allocated unless a response is an error.
 *
 * <pre>
 *   a request behind its header
 *   | transactional id null | acks int16 | timeout int32 | topics 1: name, partitions ..., tags | tags |
 *
 *   one of its partitions
 *   | number int32 | records: length + 1 varint, batch | tags |
 *
 *   a response behind its header
 *   | topics 1: name, partitions ..., tags | throttle int32 | tags |
 *
 *   one of its partitions
 *    0              4             6                   14                     22                     30
 *   | number int32 | error int16 | base offset int64 | append time int64 | log start offset int64 | errors of records
 *   | message | tags |
 * </pre>
 */
final class BareBatches implements AutoCloseable {
  /** The largest request that a broker accepts: Kafka's default of {@code socket.request.max.bytes}. */
  private static final int MOST_REQUEST_BYTES = 100 * 1024 * 1024;
  /** Bytes of a partition in a request beside its batch: number, length and tags. */
  private static final int PARTITION_BYTES = 10;
  private static final int NULL = -1;
  private static final int OFFSETS_BYTES = 3 * Long.BYTES;
  /** Most bytes of a response beside its partitions, and of each partition. */
  private static final int MOST_OTHER_BYTES = 64 * 1024;
  private static final int MOST_PARTITION_BYTES = 64;

  private final String topic;
  private final int partitions;
  private final Map<String, String> settings;
  private final short acks;
  private final Payloads payloads;
  /** Number of records in a full batch, and their bytes before compression. */
  private final int batchRecords;
  private final int batchRecordBytes;
  /** Bytes that the length field of an uncompressed full batch takes. */
  private final int fullLengthBytes;
  private final @Nullable Compressor compressor;
  /** Uncompressed records of the batch that is being written; empty without compression. */
  private final ByteBuffer plain;
  private final RecordBatchHeader header = new RecordBatchHeader();
  private final CRC32C crc = new CRC32C();
  /** For each partition, the number of the last response that named it; a second time in one response is an error. */
  private final long[] answeredIn;
  private long responses;
  private long written;

  /** A request that is filled again and again. */
  static final class Request {
    private final ByteBuffer frame;
    private final ProtocolWriter out = new ProtocolWriter();
    /** Index in the frame after the part that no fill changes. */
    private final int changing;
    private int records;
    private int batches;

    private Request(BareBatches of, int mostBytes) {
      frame = ByteBuffer.allocateDirect(mostBytes);
      out.wrap(frame, Integer.BYTES, mostBytes);
      RequestHeader.write(out, ApiKey.PRODUCE, BareMessages.PRODUCE_VERSION, 0, BareMessages.CLIENT_ID);
      out.writeCompactNullableString(null);
      out.writeShort(of.acks);
      out.writeInt(BareMessages.TIMEOUT_MILLIS);
      BareMessages.writeCount(out, 1);
      out.writeCompactString(of.topic);
      changing = out.position();
    }

    /** Returns the bytes to write, with their length in front. */
    ByteBuffer frame() {
      return frame;
    }

    /** Returns the number of records in the request. */
    int records() {
      return records;
    }
  }

  BareBatches(WorkSpec spec) {
    topic = spec.topic();
    partitions = spec.partitions();
    settings = spec.producer();
    acks = (short) setting(ProducerSetting.ACKS);
    if (acks == 0) {
      throw new IllegalArgumentException("acks: without any, nobody knows what is stored; use all or 1");
    }
    int valueBytes = spec.load().recordSizeBytes();
    payloads = new Payloads(spec.load().payload(), valueBytes, spec.load().seed());
    long most = setting(ProducerSetting.BATCH_SIZE) - RecordBatchHeader.BYTES;
    int count = 0;
    int bytes = 0;
    for (int next = recordBytes(0, valueBytes); count == 0 || next <= most; next += recordBytes(count, valueBytes)) {
      bytes = next;
      count++;
    }
    batchRecords = count;
    batchRecordBytes = bytes;
    fullLengthBytes = lengthBytes(RecordBatchHeader.BYTES + bytes);
    header.compression = CompressionType.of((int) setting(ProducerSetting.COMPRESSION));
    compressor = header.compression == CompressionType.NONE
        ? null
        : CompressionCodec.of(header.compression).compressor(level(header.compression));
    plain = ByteBuffer.allocateDirect(compressor == null ? 0 : batchRecordBytes);
    answeredIn = new long[partitions];
  }

  private long setting(ProducerSetting setting) {
    String value = settings.get(setting.kafkaName());
    return value == null ? setting.defaultValue() : setting.parse(value);
  }

  private int level(CompressionType type) {
    return switch (type) {
      case GZIP -> (int) setting(ProducerSetting.GZIP_LEVEL);
      case LZ4 -> (int) setting(ProducerSetting.LZ4_LEVEL);
      case ZSTD -> (int) setting(ProducerSetting.ZSTD_LEVEL);
      case NONE, SNAPPY -> 0;
    };
  }

  private static int recordBytes(int offsetDelta, int valueBytes) {
    return RecordWriter.totalSize(
        RecordWriter.bodySize(offsetDelta, 0, RecordWriter.NULL, valueBytes, RecordWriter.NO_HEADERS_BYTES));
  }

  private static int lengthBytes(int batchBytes) {
    return BytesWriter.sizeOfUnsignedVarint(batchBytes + 1);
  }

  /** Returns the most bytes that the response to a request may have. */
  int mostResponseBytes() {
    return MOST_OTHER_BYTES + partitions * MOST_PARTITION_BYTES;
  }

  /** Returns the number of records that a request has room for. */
  int mostRecords() {
    return partitions * batchRecords;
  }

  /**
   * Makes a request with room for a full batch of each partition.
   *
   * @throws IllegalArgumentException if the request would be larger than brokers accept
   */
  Request request() {
    int recordBytes = compressor == null
        ? batchRecordBytes
        : Math.max(batchRecordBytes, compressor.mostBytes(batchRecordBytes));
    long most = BareMessages.MOST_BYTES + partitions * (PARTITION_BYTES + RecordBatchHeader.BYTES + (long) recordBytes);
    if (most > MOST_REQUEST_BYTES) {
      throw new IllegalArgumentException("a full batch for each of " + partitions + " partitions takes up to " + most
          + " bytes, and a request has " + MOST_REQUEST_BYTES + " at most; use a smaller batch.size");
    }
    return new Request(this, (int) most);
  }

  /**
   * Fills a request with the payloads that come next, and overwrites what it had.
   *
   * @param request a request that is not being written
   * @param most number of records at most; with fewer than full batches need, the last batches are smaller or missing
   */
  void fill(Request request, long most) {
    request.records = (int) Math.min(most, mostRecords());
    request.batches = Math.ceilDiv(request.records, batchRecords);
    request.frame.clear();
    request.out.position(request.changing);
    BareMessages.writeCount(request.out, request.batches);
    header.baseTimestamp = System.currentTimeMillis();
    header.maxTimestamp = header.baseTimestamp;
    for (int partition = 0; partition < request.batches; partition++) {
      request.out.writeInt(partition);
      writeBatch(request, Math.min(batchRecords, request.records - partition * batchRecords));
      BareMessages.writeNoTags(request.out);
    }
    BareMessages.writeNoTags(request.out);
    BareMessages.writeNoTags(request.out);
    request.frame.putInt(0, request.out.position() - Integer.BYTES).limit(request.out.position());
  }

  private void writeBatch(Request request, int records) {
    ByteBuffer frame = request.frame;
    ProtocolWriter out = request.out;
    int at = out.position() + fullLengthBytes;
    int batchBytes = RecordBatchHeader.BYTES + writeRecords(frame, at + RecordBatchHeader.BYTES, records);
    header.lastOffsetDelta = records - 1;
    header.recordCount = records;
    header.writeTo(frame, at, batchBytes - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(crc, frame, at, batchBytes);
    int lengthBytes = lengthBytes(batchBytes);
    if (lengthBytes != fullLengthBytes) {
      frame.put(out.position() + lengthBytes, frame, at, batchBytes);
    }
    out.writeUnsignedVarint(batchBytes + 1);
    out.position(out.position() + batchBytes);
  }

  /** Writes records, compressed if the producer compresses, and returns the number of bytes. */
  private int writeRecords(ByteBuffer frame, int at, int records) {
    if (compressor == null) {
      return writePlain(frame, at, records) - at;
    }
    int bytes = writePlain(plain, 0, records);
    compressor.begin(frame, at, bytes);
    compressor.add(plain, 0, bytes);
    return compressor.finish() - at;
  }

  private int writePlain(ByteBuffer buffer, int at, int records) {
    int end = at;
    for (int i = 0; i < records; i++) {
      end = RecordWriter.write(buffer, end, 0, i, null, payloads.at(written++));
    }
    return end;
  }

  /**
   * Reads the response to a request.
   *
   * @throws IOException when not all records are stored, or the response is malformed
   */
  void requireStored(Request request, ProtocolReader response) throws IOException {
    try {
      readResponse(request.batches, response);
    } catch (MalformedBytesException e) {
      throw new IOException("the broker's response to a produce request is malformed: " + e.getMessage(), e);
    }
  }

  private void readResponse(int batches, ProtocolReader in) throws IOException {
    responses++;
    BareMessages.requireOne("topics", in.readCompactArrayLength(BareMessages.MIN_TOPIC_BYTES));
    in.skip(in.readUnsignedVarint() - 1);
    int count = in.readCompactArrayLength(BareMessages.MIN_PARTITION_BYTES);
    for (int i = 0; i < count; i++) {
      readPartition(batches, in);
    }
    if (count != batches) {
      throw new IOException("the broker answered for " + count + " partitions instead of " + batches);
    }
    in.skipTaggedFields();
    in.readInt(); // the throttle time: the lab's brokers have no quotas
    in.skipTaggedFields();
    if (in.remaining() > 0) {
      throw new IOException("the broker's response to a produce request has " + in.remaining() + " bytes too many");
    }
  }

  private void readPartition(int batches, ProtocolReader in) throws IOException {
    int partition = in.readInt();
    if (partition < 0 || partition >= batches) {
      throw new IOException("the broker answered for partition " + partition + ", to which nothing was written");
    }
    if (answeredIn[partition] == responses) {
      throw new IOException("the broker answered twice for partition " + partition);
    }
    answeredIn[partition] = responses;
    short error = in.readShort();
    if (error != 0) {
      throw BareMessages.refused("did not store the records of partition " + partition, error);
    }
    in.skip(OFFSETS_BYTES);
    int refused = in.readUnsignedVarint() - 1;
    if (refused > 0) {
      throw new IOException("the broker did not store " + refused + " of the records of partition " + partition);
    }
    int messageBytes = in.readUnsignedVarint() - 1;
    in.skip(messageBytes == NULL ? 0 : messageBytes);
    in.skipTaggedFields();
  }

  @Override
  public void close() {
    if (compressor != null) {
      compressor.close();
    }
  }
}
