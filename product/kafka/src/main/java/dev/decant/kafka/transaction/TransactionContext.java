package dev.decant.kafka.transaction;

import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.telemetry.TransactionEvents;
import java.util.concurrent.TimeUnit;

/**
 * What transactions were opened with.
 *
 * @param client whose loop and brokers serve them
 * @param transactionalId Kafka's {@code transactional.id}
 * @param timeoutMillis Kafka's {@code transaction.timeout.ms}
 * @param twoPhase whether brokers are to leave transactions open for as long as it takes (KIP-939)
 * @param keepsPrepared whether opening leaves the transaction of a predecessor to be ended (KIP-939)
 */
public record TransactionContext(ClientInternals client, String transactionalId, int timeoutMillis, boolean twoPhase,
    boolean keepsPrepared) {

  /** The transaction before is mostly over within so much. */
  private static final RetryBackoff BACKOFF = new RetryBackoff(TimeUnit.MILLISECONDS.toNanos(20),
      TimeUnit.SECONDS.toNanos(1));

  /** The calls to the coordinator of the transactions or of a group. */
  CallQueue coordinator(Coordinator.Kind kind, String key) {
    TransactionEvents events = client.telemetry().transaction();
    String subject = (kind == Coordinator.Kind.GROUP ? "group " : "transactional id ") + key;
    return new CallQueue(client.loop(), subject, BACKOFF,
        pump -> new Coordinator(client.cluster(), kind, key, pump), cause -> events.retried(subject, cause));
  }
}
