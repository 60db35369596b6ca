package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * What a producer was opened with.
 *
 * @param topic where it writes
 * @param acks Kafka's {@code acks}
 * @param idempotent Kafka's {@code enable.idempotence}
 * @param lingerNanos Kafka's {@code linger.ms}
 * @param batchSize Kafka's {@code batch.size}, bytes
 * @param maxRequestBytes Kafka's {@code max.request.size}
 * @param maxBlockNanos Kafka's {@code max.block.ms}
 * @param deliveryTimeoutNanos Kafka's {@code delivery.timeout.ms}
 * @param partitioner chooses the partition of each record
 * @param retries Kafka's {@code retry.backoff.ms} and {@code retry.backoff.max.ms}
 * @param requestTimeoutMillis Kafka's {@code request.timeout.ms}, sent to the broker
 * @param compression Kafka's {@code compression.type}
 * @param compressionLevel the level of that type, of no meaning where it has none
 * @param rack rack whose leaders are preferred for records without a key; null for none
 * @param transactions under which it writes; null for none
 * @param maxRetries Kafka's {@code retries}
 * @param maxInFlight batches of one partition in flight, 5 at most
 */
record ProducerSettings(String topic, Acks acks, boolean idempotent, long lingerNanos, int batchSize,
    int maxRequestBytes, long maxBlockNanos, long deliveryTimeoutNanos, Partitioner partitioner,
    RetryBackoff retries, int requestTimeoutMillis, CompressionType compression, int compressionLevel,
    @Nullable String rack, @Nullable Transactions transactions, int maxRetries, int maxInFlight) {

  /** Copies these settings for another topic. */
  ProducerSettings forTopic(String other) {
    return new ProducerSettings(other, acks, idempotent, lingerNanos, batchSize, maxRequestBytes, maxBlockNanos,
        deliveryTimeoutNanos, partitioner, retries, requestTimeoutMillis, compression, compressionLevel, rack,
        transactions, maxRetries, maxInFlight);
  }

  /** The transactional id; empty without transactions. */
  String transactionalId() {
    return transactions == null ? "" : transactions.transactionalId();
  }
}
