package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.internal.ClientInternals;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the cluster at once for partitions that senders have named and that are not known: they may have been added a
 * moment ago. Any thread.
 */
final class MissingPartitions {
  /** How long a response counts for {@link #hasResponseFor}: later, there may be more partitions. */
  private static final long ANSWER_LASTS_NANOS = 1_000_000_000L;

  /** A request for metadata on behalf of a sender that does not wait. */
  private record Asked(int partition, BooleanSupplier isTold, long sinceNanos) {}

  private final ClientInternals client;
  private final Cluster cluster;
  private final ProducerSettings settings;
  private final ProducerState producer;
  private final PartitionRouter router;
  private volatile @Nullable Asked asked;

  MissingPartitions(ClientInternals client, ProducerSettings settings, ProducerState producer,
      PartitionRouter router) {
    this.client = client;
    this.cluster = client.cluster();
    this.settings = settings;
    this.producer = producer;
    this.router = router;
  }

  /**
   * Waits for a partition, or until the producer is closed.
   *
   * @throws KafkaTimeoutException if the partition is not there by then
   */
  void await(int partition, long deadlineNanos) throws InterruptedException {
    cluster.responseFromNow(settings.topic(), partition + 1, deadlineNanos);
    boolean isThere = cluster.waiters()
        .await(() -> router.queues().length > partition || producer.isClosed(), deadlineNanos);
    producer.requireOpen();
    if (!isThere) {
      throw new KafkaTimeoutException("send to " + settings.topic() + ": partition " + partition
          + " is not there after " + settings.maxBlockNanos() / 1_000_000 + " ms; the topic has partitions 0 to "
          + (router.queues().length - 1), cluster.lastError());
    }
  }

  /**
   * Returns true if the cluster has responded since a sender named the partition, so that the metadata is new enough to
   * refuse it. Asks the cluster otherwise; a sender that names the partition again gets the outcome.
   */
  boolean hasResponseFor(int partition) {
    long now = client.loop().clock().nanoTime();
    Asked before = asked;
    if (before == null || before.partition != partition || now - before.sinceNanos > ANSWER_LASTS_NANOS) {
      asked = new Asked(partition, cluster.responseFromNow(settings.topic(), partition + 1, now), now);
      return false;
    }
    if (!before.isTold.getAsBoolean()) {
      return false;
    }
    asked = null;
    return true;
  }
}
