package dev.decant.kafka.work.bridge;

import dev.decant.kafka.KafkaException;
import java.time.Duration;

/** Asks for topics, and creates them. One thread at a time. */
public interface TopicAccess extends AutoCloseable {
  /**
   * How many partitions a topic has. Asking does not create the topic.
   *
   * @param topic its name
   * @return 0 if it does not exist
   * @throws KafkaException if the cluster has refused or not responded
   * @throws InterruptedException if the thread was interrupted
   */
  int partitions(String topic) throws InterruptedException;

  /**
   * Creates a topic. Does nothing if the topic exists.
   *
   * @param topic its name
   * @param partitions how many
   * @param replicas of each partition
   * @param retention how long records are kept
   * @throws KafkaException if the cluster has refused or not responded
   * @throws InterruptedException if the thread was interrupted
   */
  void create(String topic, int partitions, int replicas, Duration retention) throws InterruptedException;

  @Override
  void close();
}
