package dev.decant.kafka.work;

/**
 * Where a record was read first, before it went to retry topics.
 *
 * @param topic its topic
 * @param partition its partition
 * @param offset its offset
 * @param timestamp epoch milliseconds
 */
public record RecordOrigin(String topic, int partition, long offset, long timestamp) {}
