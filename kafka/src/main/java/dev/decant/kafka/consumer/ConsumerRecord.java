package dev.decant.kafka.consumer;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.serialization.Decoder;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A view of the record that a handler was called for. Nothing is copied or decoded before it is asked for. Valid during
 * that call, on that thread.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ConsumerRecord<K, V> {
  private final RecordBatchReader reader;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;
  private final BytesReader bytes = new BytesReader();
  private AssignedPartition partition = new AssignedPartition("", -1);
  private @Nullable BadRecordException bad;

  ConsumerRecord(RecordBatchReader reader, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.reader = reader;
    this.keys = keys;
    this.values = values;
  }

  void in(AssignedPartition current) {
    partition = current;
  }

  /**
   * Its topic.
   *
   * @return the name
   */
  public String topic() {
    return partition.topic;
  }

  /**
   * Its partition.
   *
   * @return the number
   */
  public int partition() {
    return partition.partition;
  }

  /**
   * Its offset.
   *
   * @return the offset
   */
  public long offset() {
    return reader.offset();
  }

  /**
   * Its timestamp.
   *
   * @return epoch milliseconds
   */
  public long timestamp() {
    return reader.timestamp();
  }

  /**
   * Decodes the key.
   *
   * @return null if the record has none
   * @throws BadRecordException if the decoder throws
   */
  public @Nullable K key() {
    try {
      return reader.hasKey() ? keys.decode(keyBytes()) : null;
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
    try {
      return reader.hasValue() ? values.decode(valueBytes()) : null;
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
    return reader.hasKey() ? reader.keyLength() : -1;
  }

  /**
   * The size of the value.
   *
   * @return bytes, -1 for a null value
   */
  public int valueLength() {
    return reader.hasValue() ? reader.valueLength() : -1;
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
    if (!reader.hasKey()) {
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
    if (!reader.hasValue()) {
      throw new IllegalStateException("the record has no value");
    }
    return bytes.wrap(reader.buffer(), reader.valueOffset(), reader.valueOffset() + reader.valueLength());
  }

  /**
   * How many headers there are.
   *
   * @return 0 or more
   */
  public int headerCount() {
    return reader.headerCount();
  }

  /**
   * The value of the last header with a key.
   *
   * @param key the header's key
   * @return a copy; null if there is no such header or its value is null
   */
  public byte @Nullable [] header(String key) {
    return HeaderLookup.last(reader, key);
  }

  /**
   * The value of the last header with a key, as text. Only the text is allocated, and nothing if there is none.
   *
   * @param key the header's key
   * @return what its UTF-8 says, with U+FFFD for what is none; null if there is no such header or its value is null
   */
  public @Nullable String headerText(String key) {
    return HeaderLookup.lastText(reader, key, bytes);
  }

  /** Where the records lie, for who wants to copy them in bulk. */
  ByteBuffer buffer() {
    return reader.buffer();
  }
}
