package dev.decant.kafka.transaction;

import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.telemetry.TransactionEvents;
import java.util.concurrent.TimeUnit;

/**
 * The settings with which transactions were opened.
 *
 * @param client the client whose loop and brokers serve them
 * @param transactionalId Kafka's {@code transactional.id}
 * @param timeoutMillis Kafka's {@code transaction.timeout.ms}
 * @param twoPhase true if brokers must not abort the transactions by timeout (KIP-939)
 * @param keepsPrepared true if opening keeps the prepared transaction of a predecessor, to be ended (KIP-939)
 */
public record TransactionContext(ClientInternals client, String transactionalId, int timeoutMillis, boolean twoPhase,
    boolean keepsPrepared) {

  /** The pauses between attempts. They begin at 20 ms: the former transaction has mostly ended after that time. */
  private static final RetryBackoff BACKOFF = new RetryBackoff(TimeUnit.MILLISECONDS.toNanos(20),
      TimeUnit.SECONDS.toNanos(1));

  /** Makes the queue of calls to the coordinator of the transactions or of a group. */
  CallQueue coordinator(Coordinator.Kind kind, String key) {
    TransactionEvents events = client.telemetry().transaction();
    String subject = (kind == Coordinator.Kind.GROUP ? "group " : "transactional id ") + key;
    return new CallQueue(client.loop(), subject, BACKOFF,
        pump -> new Coordinator(client.cluster(), kind, key, pump), cause -> events.retried(subject, cause));
  }
}
