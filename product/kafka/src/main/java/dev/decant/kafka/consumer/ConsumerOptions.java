package dev.decant.kafka.consumer;

import dev.decant.kafka.fetch.FetchSettings;

/**
 * Settings of a consumer.
 *
 * @param maxPollRecords Kafka's {@code max.poll.records}
 * @param reset Kafka's {@code auto.offset.reset}
 * @param maxDecompressedBytes bound of a batch's records once decompressed
 * @param badRecords policy for records that cannot be decoded
 * @param apiTimeoutNanos Kafka's {@code default.api.timeout.ms}
 * @param exclusive true if one thread at a time calls the consumer
 */
record ConsumerOptions(FetchSettings fetch, int maxPollRecords, OffsetReset reset, int maxDecompressedBytes,
    BadRecordPolicy badRecords, long apiTimeoutNanos, boolean exclusive) {}
