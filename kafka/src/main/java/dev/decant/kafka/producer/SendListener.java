package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;

/**
 * Told, exactly once, what became of a record. Runs on the owner of the client's loop: it must not block. A listener
 * that throws is logged and harms nobody.
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
}
