package dev.decant.kafka.work.bridge;

import dev.decant.kafka.KafkaException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Asks for topics, and creates them. One thread at a time. */
public interface TopicAccess extends AutoCloseable {
  /**
   * The number of partitions of a topic. The question does not create the topic.
   *
   * @param topic its name
   * @param timeout how long to wait
   * @return 0 if it does not exist
   * @throws KafkaException if the cluster has refused or not responded
   * @throws InterruptedException if the thread was interrupted
   */
  int partitions(String topic, Duration timeout) throws InterruptedException;

  /**
   * Reads settings of a topic, with the defaults of the brokers for those that the topic does not set.
   *
   * @param topic its name
   * @param names of settings, as Kafka has them
   * @param timeout how long to wait
   * @return values by name; a setting that the broker does not know, or that has no value, is not there
   * @throws KafkaException if the cluster has refused or not responded
   * @throws InterruptedException if the thread was interrupted
   */
  Map<String, String> settings(String topic, List<String> names, Duration timeout) throws InterruptedException;

  /**
   * Creates a topic. Does nothing if the topic exists.
   *
   * @param topic its name
   * @param partitions how many
   * @param replicas of each partition
   * @param retention how long records are kept
   * @param timeout how long to wait
   * @throws KafkaException if the cluster has refused or not responded
   * @throws InterruptedException if the thread was interrupted
   */
  void create(String topic, int partitions, int replicas, Duration retention, Duration timeout)
      throws InterruptedException;

  @Override
  void close();
}
