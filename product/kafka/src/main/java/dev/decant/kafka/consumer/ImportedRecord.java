package dev.decant.kafka.consumer;

import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.Header;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordWriter;
import dev.decant.kafka.record.TimestampType;
import dev.decant.kafka.serialization.Decoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Shows a record that another client has received as a {@link ConsumerRecord}. It writes the record's bytes into memory
 * of its own in the format of a broker, and the view reads them there. Memory and view are used again for each record,
 * so a record costs one copy of its bytes.
 *
 * <pre>
 * ImportedRecord&lt;String, String&gt; imported = new ImportedRecord&lt;&gt;(Serdes.string(), Serdes.string());
 * handler.onRecord(imported.at(partition, offset, epoch).timestamp(time, TimestampType.CREATE_TIME).show(key, value));
 * </pre>
 *
 * <p>One thread at a time.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ImportedRecord<K, V> {
  private static final int FIRST_BYTES = 4096;
  private static final long NO_TIMESTAMP = -1;

  private final RecordBatchReader reader = new RecordBatchReader();
  private final RecordBatchHeader batchHeader = new RecordBatchHeader();
  private final BytesWriter writer = new BytesWriter();
  private final CRC32C crc = new CRC32C();
  private final List<Header> headers = new ArrayList<>();
  private final ConsumerRecord<K, V> view;
  private AssignedPartition partition = new AssignedPartition("", -1);
  private ByteBuffer memory = ByteBuffer.allocate(FIRST_BYTES);

  /**
   * Creates an empty view.
   *
   * @param keys decodes keys, on the thread that calls {@link ConsumerRecord#key}
   * @param values decodes values, on the thread that calls {@link ConsumerRecord#value}
   */
  public ImportedRecord(Decoder<? extends K> keys, Decoder<? extends V> values) {
    view = new ConsumerRecord<>(reader, Objects.requireNonNull(keys, "keys"), Objects.requireNonNull(values, "values"));
  }

  /**
   * Starts a record, without headers or a timestamp. The view of the former record expires.
   *
   * @param id its partition
   * @param offset its offset
   * @param leaderEpoch the epoch of the leader that appended it; -1 if it is not known
   * @return this
   * @throws IllegalArgumentException if the offset is negative
   */
  public ImportedRecord<K, V> at(TopicPartition id, long offset, int leaderEpoch) {
    Objects.requireNonNull(id, "id");
    if (offset < 0) {
      throw new IllegalArgumentException("offset: " + offset + " is negative");
    }
    clear();
    if (partition.partition != id.partition() || !partition.topic.equals(id.topic())) {
      partition = new AssignedPartition(id.topic(), id.partition());
    }
    batchHeader.baseOffset = offset;
    batchHeader.partitionLeaderEpoch = leaderEpoch;
    batchHeader.timestampType = TimestampType.CREATE_TIME;
    batchHeader.baseTimestamp = NO_TIMESTAMP;
    headers.clear();
    return this;
  }

  /**
   * Sets the record's timestamp.
   *
   * @param epochMillis the timestamp; -1 for none
   * @param type whether the producer or the broker has set it
   * @return this
   */
  public ImportedRecord<K, V> timestamp(long epochMillis, TimestampType type) {
    batchHeader.timestampType = Objects.requireNonNull(type, "type");
    batchHeader.baseTimestamp = epochMillis;
    return this;
  }

  /**
   * Adds a header behind the record's other headers.
   *
   * @param key its key
   * @param value its value, which must not change before {@link #show}; null for none
   * @return this
   */
  public ImportedRecord<K, V> header(String key, byte @Nullable [] value) {
    headers.add(new Header(Objects.requireNonNull(key, "key"), value));
    return this;
  }

  /**
   * Completes the record and shows it.
   *
   * @param key bytes of its key; null for none
   * @param value bytes of its value; null for none
   * @return always the same view, valid until the next call of {@link #at} or {@link #clear}
   * @throws IllegalArgumentException if the record would be larger than a batch can be
   */
  public ConsumerRecord<K, V> show(byte @Nullable [] key, byte @Nullable [] value) {
    int keySize = key == null ? RecordWriter.NULL : key.length;
    int valueSize = value == null ? RecordWriter.NULL : value.length;
    int bodySize = RecordWriter.bodySize(0, 0, keySize, valueSize, headersSize());
    int recordSize = RecordWriter.totalSize(bodySize);
    int end = write(bodySize, recordSize, key, value);
    reader.wrap(memory, 0, end);
    if (!reader.nextBatch() || !reader.nextRecord()) {
      throw new IllegalStateException("a batch without its record");
    }
    view.in(partition);
    view.current(true);
    return view;
  }

  private int headersSize() {
    long size = BytesWriter.sizeOfVarint(headers.size());
    for (int i = 0; i < headers.size(); i++) {
      Header header = headers.get(i);
      byte[] bytes = header.value();
      size += RecordWriter.headerSize(header.key(), bytes == null ? RecordWriter.NULL : bytes.length);
    }
    if (size > Integer.MAX_VALUE / 2) {
      throw new IllegalArgumentException("a record with headers of " + size + " bytes");
    }
    return (int) size;
  }

  private int write(int bodySize, int recordSize, byte @Nullable [] key, byte @Nullable [] value) {
    long size = (long) RecordBatchHeader.BYTES + recordSize;
    if (size > Integer.MAX_VALUE - Long.BYTES) { // no array is larger
      throw new IllegalArgumentException("a record of " + recordSize + " bytes");
    }
    if (size > memory.capacity()) {
      memory = ByteBuffer
          .allocate((int) Math.min(Integer.MAX_VALUE - Long.BYTES, Math.max(size, 2L * memory.capacity())));
    }
    ByteBuffer to = memory;
    int keySize = key == null ? RecordWriter.NULL : key.length;
    int at = put(to, RecordWriter.writePrefix(to, RecordBatchHeader.BYTES, bodySize, 0, 0, keySize), key);
    at = RecordWriter.writeValueSize(to, at, value == null ? RecordWriter.NULL : value.length);
    at = put(to, at, value);
    at = RecordWriter.writeHeaderCount(to, at, headers.size());
    writer.wrap(to, at, (int) size);
    for (int i = 0; i < headers.size(); i++) {
      RecordWriter.writeHeader(writer, headers.get(i).key(), headers.get(i).value());
    }
    batchHeader.maxTimestamp = batchHeader.baseTimestamp;
    batchHeader.recordCount = 1;
    batchHeader.writeTo(to, 0, recordSize);
    RecordBatchHeader.seal(crc, to, 0, (int) size);
    return (int) size;
  }

  private static int put(ByteBuffer to, int at, byte @Nullable [] bytes) {
    if (bytes == null) {
      return at;
    }
    to.put(at, bytes);
    return at + bytes.length;
  }

  /** Expires the view: every method of it throws an {@link IllegalStateException}. */
  public void clear() {
    view.current(false);
  }
}
