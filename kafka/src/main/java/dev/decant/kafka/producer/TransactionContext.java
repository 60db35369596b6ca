package dev.decant.kafka.producer;

import dev.decant.kafka.ClientInternals;

/**
 * What {@link Transactions} were opened with.
 *
 * @param client whose loop and brokers serve them
 * @param transactionalId Kafka's {@code transactional.id}
 * @param timeoutMillis Kafka's {@code transaction.timeout.ms}
 */
record TransactionContext(ClientInternals client, String transactionalId, int timeoutMillis) {}
