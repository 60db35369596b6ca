package dev.decant.kafka.work;

/**
 * What the headers of a record of a retry topic say.
 *
 * @param topic where the record was read first
 * @param partition the same
 * @param offset the same
 * @param timestamp of the first record, in epoch milliseconds
 * @param timestampType of the first record, as Kafka names it
 * @param attempts that it has had
 * @param dueMillis when its next attempt is due, in epoch milliseconds; 0 for now
 * @param table which table of pending keys has counted it, see {@link CoPartition}; 0 if none is named
 */
record Origin(String topic, int partition, long offset, long timestamp, String timestampType, int attempts,
    long dueMillis, long table) {}
