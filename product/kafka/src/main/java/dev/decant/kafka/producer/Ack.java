package dev.decant.kafka.producer;

/**
 * A record is stored.
 *
 * @param partition the record's partition
 * @param offset its offset, -1 if the broker did not say (acks 0, or a repeated batch)
 * @param timestamp its timestamp in epoch milliseconds
 */
public record Ack(int partition, long offset, long timestamp) {}
