package dev.decant.kafka.event;

import dev.decant.event.Registration;

/**
 * Where listeners are added to a client: any thread, at any time. Producers and consumers that are opened later are
 * watched too. A listener that overrides no method of its interface is an {@link IllegalArgumentException}: it could
 * never be told of anything. A listener that throws is reported as {@link ErrorKind#LISTENER_FAILED}, and what it was
 * told of goes on.
 */
public interface KafkaEvents {
  /**
   * Watches connections and requests.
   *
   * @param listener is told
   * @return removes it
   */
  Registration watchConnections(ConnectionListener listener);

  /**
   * Watches batches of producers.
   *
   * @param listener is told
   * @return removes it
   */
  Registration watchProducers(ProducerListener listener);

  /**
   * Watches transactions.
   *
   * @param listener is told
   * @return removes it
   */
  Registration watchTransactions(TransactionListener listener);

  /**
   * Watches fetches and polls of consumers.
   *
   * @param listener is told
   * @return removes it
   */
  Registration watchConsumers(ConsumerListener listener);

  /**
   * Watches consumers as members of their groups.
   *
   * @param listener is told
   * @return removes it
   */
  Registration watchGroups(GroupListener listener);

  /**
   * Watches what is known of the cluster.
   *
   * @param listener is told
   * @return removes it
   */
  Registration watchMetadata(MetadataListener listener);

  /**
   * Watches whatever goes wrong.
   *
   * @param listener is told
   * @return removes it
   */
  Registration watchErrors(ErrorListener listener);
}
