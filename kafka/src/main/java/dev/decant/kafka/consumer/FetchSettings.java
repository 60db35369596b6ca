package dev.decant.kafka.consumer;

/**
 * What a consumer was opened with.
 *
 * @param maxWaitMillis Kafka's {@code fetch.max.wait.ms}
 * @param minBytes Kafka's {@code fetch.min.bytes}
 * @param maxBytes Kafka's {@code fetch.max.bytes}
 * @param maxPartitionBytes Kafka's {@code max.partition.fetch.bytes}
 * @param maxPollRecords Kafka's {@code max.poll.records}
 * @param reset Kafka's {@code auto.offset.reset}
 * @param maxDecompressedBytes bound of a batch's records once decompressed
 * @param isolation Kafka's {@code isolation.level}
 * @param rack Kafka's {@code client.rack}; empty for none
 * @param badRecords what becomes of records that cannot be decoded
 * @param apiTimeoutNanos Kafka's {@code default.api.timeout.ms}
 */
record FetchSettings(int maxWaitMillis, int minBytes, int maxBytes, int maxPartitionBytes, int maxPollRecords,
    OffsetReset reset, int maxDecompressedBytes, IsolationLevel isolation,
    String rack, BadRecordPolicy badRecords, long apiTimeoutNanos) {}
