package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.protocol.Errors;

/**
 * Waits for the metadata of topics, with the exceptions of Apache's producer. Any thread. A callback does not wait: it
 * gets at once the exception that Apache's producer throws after {@code max.block.ms}.
 */
final class TopicLookup {
  private final ClientInternals client;
  private final Cluster cluster;
  private final long maxBlockMillis;
  private final BooleanSupplier isClosed;

  TopicLookup(ClientInternals client, long maxBlockMillis, BooleanSupplier isClosed) {
    this.client = client;
    this.cluster = client.cluster();
    this.maxBlockMillis = maxBlockMillis;
    this.isClosed = isClosed;
  }

  /**
   * Waits until the partitions of a topic are known. It waits for a topic that does not exist, too, which may be
   * created meanwhile.
   *
   * @throws TimeoutException with the last error of the topic as its cause
   */
  void awaitTopic(String topic) throws InterruptedException {
    if (isUsable(topic)) {
      return;
    }
    requireLegal(topic);
    BooleanSupplier denied = cluster.deniedFromNow(topic, deadlineNanos());
    await(() -> isUsable(topic) || cluster.refusal() != null || denied.getAsBoolean());
    requireOpen();
    if (!isUsable(topic)) {
      throw unusable(topic);
    }
  }

  private boolean isUsable(String topic) {
    TopicMetadata known = cluster.snapshot().topic(topic);
    return known != null && known.error() == ErrorCode.NONE;
  }

  private static void requireLegal(String topic) {
    try {
      TopicName.requireLegal(topic);
    } catch (IllegalArgumentException e) {
      throw new InvalidTopicException(Set.of(topic));
    }
  }

  /**
   * Returns the exception for a topic whose metadata did not come in time. If no broker was reached, its cause says
   * why.
   */
  RuntimeException unusable(String topic) {
    KafkaException refused = cluster.refusal();
    if (refused != null) {
      return ApacheErrors.of(refused);
    }
    TopicMetadata known = cluster.snapshot().topic(topic);
    ErrorCode error = known == null ? ErrorCode.NONE : known.error();
    return switch (error) {
      case TOPIC_AUTHORIZATION_FAILED -> new TopicAuthorizationException(Set.of(topic));
      case INVALID_TOPIC_EXCEPTION -> new InvalidTopicException(Set.of(topic));
      default -> {
        String message = "Topic " + topic + " not present in metadata after " + maxBlockMillis + " ms.";
        yield error == ErrorCode.NONE
            ? new TimeoutException(message, cluster.lastError())
            : new TimeoutException(message, Errors.forCode(error.code()).exception());
      }
    };
  }

  /**
   * Waits until a topic has a partition, and repeats metadata requests meanwhile.
   *
   * @param partitions number of partitions now
   * @throws TimeoutException if the partition does not appear
   */
  void awaitPartition(String topic, int partition, IntSupplier partitions) throws InterruptedException {
    cluster.responseFromNow(topic, partition + 1, deadlineNanos());
    await(() -> partitions.getAsInt() > partition);
    requireOpen();
    int known = partitions.getAsInt();
    if (known <= partition) {
      throw new TimeoutException("Partition " + partition + " of topic " + topic + " with partition count " + known
          + " is not present in metadata after " + maxBlockMillis + " ms.");
    }
  }

  private long deadlineNanos() {
    long nanos = TimeUnit.MILLISECONDS.toNanos(Math.min(maxBlockMillis, Integer.MAX_VALUE));
    return client.loop().clock().nanoTime() + nanos;
  }

  private void await(BooleanSupplier done) throws InterruptedException {
    if (client.loop().isOwner()) {
      return;
    }
    cluster.waiters().await(() -> isClosed.getAsBoolean() || done.getAsBoolean(), deadlineNanos());
  }

  private void requireOpen() {
    if (isClosed.getAsBoolean()) {
      throw new org.apache.kafka.common.KafkaException("Producer closed while send in progress");
    }
  }

  /** Wakes waiting threads, which then check whether the producer was closed. */
  void wake() {
    client.loop().execute(cluster.waiters()::signalAll);
  }
}
