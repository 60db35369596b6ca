package dev.decant.kafka.consumer;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.Header;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.TimestampType;
import dev.decant.kafka.serialization.DecodeContext;
import dev.decant.kafka.serialization.Decoder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A view of the record for which a handler is called. It copies and decodes only what is asked for. Valid during that
 * call, on that thread. A handler that keeps the view sees the next record in it; after the poll every method throws an
 * {@link IllegalStateException}. Use {@link #copy} to keep a record.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ConsumerRecord<K, V> {
  private final RecordBatchReader reader;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;
  private final DecodeContext keyContext = new Decoded(true);
  private final DecodeContext valueContext = new Decoded(false);
  private final BytesReader bytes = new BytesReader();
  private AssignedPartition partition = new AssignedPartition("", -1);
  private @Nullable BadRecordException bad;
  private boolean current;

  ConsumerRecord(RecordBatchReader reader, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.reader = reader;
    this.keys = keys;
    this.values = values;
  }

  void in(AssignedPartition of) {
    partition = of;
  }

  /** Makes the view readable while a poll delivers records, and unreadable after that. */
  void current(boolean isCurrent) {
    current = isCurrent;
  }

  private void requireCurrent() {
    if (!current) {
      throw new IllegalStateException("a record is read after the poll that handed it out: it is a view of memory that"
          + " holds other records by now; take what is needed in the handler, or keep record.copy()");
    }
  }

  private RecordBatchReader read() {
    requireCurrent();
    return reader;
  }

  /**
   * Returns the topic.
   *
   * @return the name
   */
  public String topic() {
    requireCurrent();
    return partition.topic;
  }

  /**
   * Returns the partition.
   *
   * @return the number
   */
  public int partition() {
    requireCurrent();
    return partition.partition;
  }

  /**
   * Returns the offset.
   *
   * @return the offset
   */
  public long offset() {
    return read().offset();
  }

  /**
   * Returns the timestamp.
   *
   * @return epoch milliseconds
   */
  public long timestamp() {
    return read().timestamp();
  }

  /**
   * Returns which side has set the timestamp.
   *
   * @return the producer's time or the broker's
   */
  public TimestampType timestampType() {
    return read().timestampType();
  }

  /**
   * Returns the epoch of the leader that appended the record.
   *
   * @return the epoch; -1 if the broker does not send it
   */
  public int leaderEpoch() {
    return read().partitionLeaderEpoch();
  }

  /**
   * Decodes the key.
   *
   * @return null if the record has none
   * @throws BadRecordException if the decoder throws
   */
  public @Nullable K key() {
    requireCurrent();
    try {
      return reader.hasKey() ? keys.decode(keyBytes(), keyContext) : null;
    } catch (RuntimeException e) {
      throw badSlowPath("key", e);
    }
  }

  /**
   * Decodes the value.
   *
   * @return null if the record has none
   * @throws BadRecordException if the decoder throws
   */
  public @Nullable V value() {
    requireCurrent();
    try {
      return reader.hasValue() ? values.decode(valueBytes(), valueContext) : null;
    } catch (RuntimeException e) {
      throw badSlowPath("value", e);
    }
  }

  private BadRecordException badSlowPath(String part, RuntimeException cause) {
    BadRecordException thrown = new BadRecordException(this, part, cause);
    bad = thrown;
    return thrown;
  }

  /** Returns the last exception that {@link #key} or {@link #value} has thrown. */
  @Nullable
  BadRecordException bad() {
    return bad;
  }

  /**
   * Returns the size of the key.
   *
   * @return bytes, -1 for a null key
   */
  public int keyLength() {
    return read().hasKey() ? reader.keyLength() : -1;
  }

  /**
   * Returns the size of the value.
   *
   * @return bytes, -1 for a null value
   */
  public int valueLength() {
    return read().hasValue() ? reader.valueLength() : -1;
  }

  /**
   * Returns a byte of the value.
   *
   * @param index from 0 to {@link #valueLength()}, exclusive
   * @return the byte
   * @throws IndexOutOfBoundsException outside the value
   */
  public byte valueByte(int index) {
    if (index < 0 || index >= valueLength()) {
      throw new IndexOutOfBoundsException(index);
    }
    return reader.buffer().get(reader.valueOffset() + index);
  }

  /**
   * Returns the key's bytes in the memory in which they were received.
   *
   * @return bounded to the key; a shared reader, valid until the next call of a method of this record
   * @throws IllegalStateException if the key is null
   */
  public BytesReader keyBytes() {
    if (!read().hasKey()) {
      throw new IllegalStateException("the record has no key");
    }
    return bytes.wrap(reader.buffer(), reader.keyOffset(), reader.keyOffset() + reader.keyLength());
  }

  /**
   * Returns the value's bytes in the memory in which they were received.
   *
   * @return bounded to the value; a shared reader, valid until the next call of a method of this record
   * @throws IllegalStateException if the value is null
   */
  public BytesReader valueBytes() {
    if (!read().hasValue()) {
      throw new IllegalStateException("the record has no value");
    }
    return bytes.wrap(reader.buffer(), reader.valueOffset(), reader.valueOffset() + reader.valueLength());
  }

  /**
   * Returns a copy of the key's bytes.
   *
   * @return an array of the caller; null if the record has no key
   */
  public byte @Nullable [] keyBytesCopy() {
    return read().hasKey() ? copyOf(reader.keyOffset(), reader.keyLength()) : null;
  }

  /**
   * Returns a copy of the value's bytes.
   *
   * @return an array of the caller; null if the record has no value
   */
  public byte @Nullable [] valueBytesCopy() {
    return read().hasValue() ? copyOf(reader.valueOffset(), reader.valueLength()) : null;
  }

  private byte[] copyOf(int offset, int length) {
    byte[] copy = new byte[length];
    reader.buffer().get(offset, copy);
    return copy;
  }

  /**
   * Decodes the record and returns it as an object, to be kept beyond the call or used on another thread.
   *
   * @return a copy
   * @throws BadRecordException if a decoder throws
   */
  public OwnedRecord<K, V> copy() {
    return new OwnedRecord<>(topic(), partition(), offset(), timestamp(), key(), value(), headers());
  }

  /**
   * Returns all headers.
   *
   * @return copies in the order of the record; a key may occur more than once
   */
  public List<Header> headers() {
    return HeaderLookup.all(read());
  }

  /**
   * Passes the headers to a handler one by one, in the order of the record. Allocates only keys and values.
   *
   * @param handler takes a header's key and a copy of its value, which is null if the header has none
   */
  public void forEachHeader(BiConsumer<String, byte @Nullable []> handler) {
    HeaderLookup.forEach(read(), Objects.requireNonNull(handler, "handler"));
  }

  /**
   * Returns the number of headers.
   *
   * @return 0 or more
   */
  public int headerCount() {
    return read().headerCount();
  }

  /**
   * Returns the value of the last header with a key.
   *
   * @param key the header's key
   * @return a copy; null if there is no such header or its value is null
   */
  public byte @Nullable [] header(String key) {
    return HeaderLookup.last(read(), Objects.requireNonNull(key, "key"));
  }

  /**
   * Returns the value of the last header with a key, as text. Allocates only the text, and nothing without a value.
   *
   * @param key the header's key
   * @return the value read as UTF-8, with U+FFFD for malformed bytes; null if there is no such header or its value is
   *     null
   */
  public @Nullable String headerText(String key) {
    return HeaderLookup.lastText(read(), Objects.requireNonNull(key, "key"), bytes);
  }

  /** The record as a decoder sees it. */
  private final class Decoded implements DecodeContext {
    private final boolean isKey;

    Decoded(boolean isKey) {
      this.isKey = isKey;
    }

    @Override
    public String topic() {
      return ConsumerRecord.this.topic();
    }

    @Override
    public boolean isKey() {
      return isKey;
    }

    @Override
    public byte @Nullable [] header(String key) {
      return ConsumerRecord.this.header(key);
    }

    @Override
    public List<Header> headers() {
      return ConsumerRecord.this.headers();
    }
  }

  /** Returns the reader, which is at this record. For {@link CopiedRecord}. */
  RecordBatchReader reader() {
    return read();
  }

  /** Returns the assigned partition of the record. */
  AssignedPartition assigned() {
    return partition;
  }

  /** Returns the memory that holds the records, for bulk copies. */
  ByteBuffer buffer() {
    return read().buffer();
  }
}
