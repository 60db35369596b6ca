package dev.decant.kafka.event;

import dev.decant.kafka.KafkaException;

/**
 * What becomes of batches. Told by the owner of the client's loop, which does nothing else meanwhile: return soon, do
 * not block. What becomes of each record is told to its {@link dev.decant.kafka.producer.SendListener}.
 */
public interface ProducerListener {
  /** In place of a partition: the records were accepted before the topic's partitions were known, and never got one. */
  int NO_PARTITION = -1;

  /**
   * A batch leaves, for the first time or again. With linger 0 this may be told within the {@code send} of its first
   * record, on the sending thread, which is the owner of the loop for that moment.
   *
   * @param topic the topic
   * @param partition the partition
   * @param records of the batch
   * @param bytes of the batch
   * @param attempt 1 for the first time
   */
  default void onBatchSent(String topic, int partition, int records, int bytes, int attempt) {}

  /**
   * A batch is stored.
   *
   * @param topic the topic
   * @param partition the partition
   * @param baseOffset offset of its first record; -1 if unknown, as with acks 0
   * @param records of the batch
   * @param bytes of the batch
   * @param nanos since its first record was appended
   */
  default void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {}

  /**
   * A batch was refused or lost and will be sent again.
   *
   * @param topic the topic
   * @param partition the partition
   * @param records of the batch
   * @param cause why
   */
  default void onBatchRetried(String topic, int partition, int records, KafkaException cause) {}

  /**
   * A batch is given up; its records' listeners are told after this.
   *
   * @param topic the topic
   * @param partition the partition; {@link #NO_PARTITION} for records of a producer that was opened at once and has no
   *     place for them
   * @param records of the batch
   * @param cause why
   */
  default void onBatchFailed(String topic, int partition, int records, KafkaException cause) {}

  /**
   * A sender found no memory and waits, or was told so. Told by the sending thread.
   *
   * @param topic the topic
   * @param bytesInUse of the producer's memory
   */
  default void onMemoryExhausted(String topic, long bytesInUse) {}
}
