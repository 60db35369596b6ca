package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Says that a decoder could not read the key or the value of a record. Thrown by {@link ConsumerRecord#key()} and
 * {@link ConsumerRecord#value()}. If a handler does not catch it, the {@link BadRecordPolicy} decides.
 */
public final class BadRecordException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;
  private final long offset;
  private final byte @Nullable [] key;
  private final byte @Nullable [] value;

  BadRecordException(ConsumerRecord<?, ?> record, String part, RuntimeException cause) {
    super(ErrorCode.NONE, "the " + part + " of record " + record.topic() + "-" + record.partition() + " at offset "
        + record.offset() + " cannot be decoded: " + cause + "; seek to " + (record.offset() + 1)
        + " to go on behind it, or set onBadRecord", cause);
    this.topic = record.topic();
    this.partition = record.partition();
    this.offset = record.offset();
    this.key = record.keyBytesCopy();
    this.value = record.valueBytesCopy();
  }

  /**
   * Returns the topic of the record.
   *
   * @return the topic
   */
  public String topic() {
    return topic;
  }

  /**
   * Returns the partition of the record.
   *
   * @return the partition
   */
  public int partition() {
    return partition;
  }

  /**
   * Returns the offset of the record.
   *
   * @return its offset
   */
  public long offset() {
    return offset;
  }

  /**
   * Returns the key as it was received.
   *
   * @return a copy; null if the record has none
   */
  public byte @Nullable [] keyBytes() {
    return key == null ? null : key.clone();
  }

  /**
   * Returns the value as it was received.
   *
   * @return a copy; null if the record has none
   */
  public byte @Nullable [] valueBytes() {
    return value == null ? null : value.clone();
  }
}
