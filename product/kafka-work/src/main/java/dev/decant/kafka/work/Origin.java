package dev.decant.kafka.work;

/**
 * The contents of the headers of a record in a retry topic.
 *
 * @param topic topic of the first record
 * @param partition partition of the first record
 * @param offset offset of the first record
 * @param timestamp timestamp of the first record, in epoch milliseconds
 * @param timestampType its type, as Kafka names it
 * @param attempts number of attempts so far
 * @param dueMillis time of the next attempt, in epoch milliseconds; 0 for now
 * @param table which table of pending keys has counted it, see {@link CoPartition}; 0 if none is named
 */
record Origin(String topic, int partition, long offset, long timestamp, String timestampType, int attempts,
    long dueMillis, long table) {}
