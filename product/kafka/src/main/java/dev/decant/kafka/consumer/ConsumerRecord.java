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
 * A view of the record that a handler was called for. Nothing is copied or decoded before it is asked for. Valid during
 * that call, on that thread: a handler that keeps it has the next record in it, and after the poll every method throws
 * an {@link IllegalStateException}. {@link #copy} is for keeping.
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

  /** A poll begins, or ends, to hand out records. */
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
   * Its topic.
   *
   * @return the name
   */
  public String topic() {
    requireCurrent();
    return partition.topic;
  }

  /**
   * Its partition.
   *
   * @return the number
   */
  public int partition() {
    requireCurrent();
    return partition.partition;
  }

  /**
   * Its offset.
   *
   * @return the offset
   */
  public long offset() {
    return read().offset();
  }

  /**
   * Its timestamp.
   *
   * @return epoch milliseconds
   */
  public long timestamp() {
    return read().timestamp();
  }

  /**
   * What the timestamp says.
   *
   * @return that the producer has set it, or the broker
   */
  public TimestampType timestampType() {
    return read().timestampType();
  }

  /**
   * The epoch of the leader that has appended the record.
   *
   * @return the epoch; -1 if the broker does not say
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

  /** What was thrown last for a record that cannot be decoded. */
  @Nullable
  BadRecordException bad() {
    return bad;
  }

  /**
   * The size of the key.
   *
   * @return bytes, -1 for a null key
   */
  public int keyLength() {
    return read().hasKey() ? reader.keyLength() : -1;
  }

  /**
   * The size of the value.
   *
   * @return bytes, -1 for a null value
   */
  public int valueLength() {
    return read().hasValue() ? reader.valueLength() : -1;
  }

  /**
   * A byte of the value.
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
   * The key's bytes, where they were received.
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
   * The value's bytes, where they were received.
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
   * The key's bytes.
   *
   * @return a copy, which is the caller's; null if the record has no key
   */
  public byte @Nullable [] keyBytesCopy() {
    return read().hasKey() ? copyOf(reader.keyOffset(), reader.keyLength()) : null;
  }

  /**
   * The value's bytes.
   *
   * @return a copy, which is the caller's; null if the record has no value
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
   * The record, decoded, to be kept beyond the call or given to another thread.
   *
   * @return a copy
   * @throws BadRecordException if a decoder throws
   */
  public OwnedRecord<K, V> copy() {
    return new OwnedRecord<>(topic(), partition(), offset(), timestamp(), key(), value(), headers());
  }

  /**
   * All headers.
   *
   * @return copies in the order of the record; a key may be there more than once
   */
  public List<Header> headers() {
    return HeaderLookup.all(read());
  }

  /**
   * Hands out the headers one by one, in the order of the record. Only keys and values are allocated.
   *
   * @param handler takes a header's key and a copy of its value, which is null if the header has none
   */
  public void forEachHeader(BiConsumer<String, byte @Nullable []> handler) {
    HeaderLookup.forEach(read(), Objects.requireNonNull(handler, "handler"));
  }

  /**
   * How many headers there are.
   *
   * @return 0 or more
   */
  public int headerCount() {
    return read().headerCount();
  }

  /**
   * The value of the last header with a key.
   *
   * @param key the header's key
   * @return a copy; null if there is no such header or its value is null
   */
  public byte @Nullable [] header(String key) {
    return HeaderLookup.last(read(), Objects.requireNonNull(key, "key"));
  }

  /**
   * The value of the last header with a key, as text. Only the text is allocated, and nothing if there is none.
   *
   * @param key the header's key
   * @return what its UTF-8 says, with U+FFFD for what is none; null if there is no such header or its value is null
   */
  public @Nullable String headerText(String key) {
    return HeaderLookup.lastText(read(), Objects.requireNonNull(key, "key"), bytes);
  }

  /** What a decoder sees of it. */
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

  /** At this record, for who copies it. */
  RecordBatchReader reader() {
    return read();
  }

  /** Whose it is. */
  AssignedPartition assigned() {
    return partition;
  }

  /** Where the records lie, for who wants to copy them in bulk. */
  ByteBuffer buffer() {
    return read().buffer();
  }
}
