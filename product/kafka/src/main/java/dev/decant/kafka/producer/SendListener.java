package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;

/**
 * Gets the outcome of a record, exactly once. It runs on the owner of the client's loop and must not block. If it
 * throws, the error is logged, and other listeners are called all the same.
 */
public interface SendListener {
  /**
   * The record is stored (or, with acks 0, written to the socket).
   *
   * @param tag what the sender gave
   * @param partition where it went
   * @param offset its offset, -1 if the broker did not say
   * @param timestamp its timestamp in epoch milliseconds
   */
  void onAck(long tag, int partition, long offset, long timestamp);

  /**
   * The record is not known to be stored.
   *
   * @param tag what the sender gave
   * @param error stage, broker, cause
   */
  void onFailure(long tag, KafkaException error);

  /**
   * The same with the record's partition; calls {@link #onFailure(long, KafkaException)} unless it is overridden.
   *
   * @param tag what the sender gave
   * @param partition where the record was to go; -1 if no partition was chosen yet
   * @param error stage, broker, cause
   */
  default void onFailure(long tag, int partition, KafkaException error) {
    onFailure(tag, error);
  }
}
