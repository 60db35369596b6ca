package dev.decant.kafka.event;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import java.util.List;

/** What a consumer fetches and hands out. */
public interface ConsumerListener {
  /**
   * A fetch got its response. Called by the owner of the client's loop: return soon, do not block.
   *
   * @param broker host and port
   * @param partitions with records
   * @param bytes of the response
   */
  default void onFetched(String broker, int partitions, int bytes) {}

  /**
   * A position that was not known was found at a broker. Told by the owner of the client's loop.
   *
   * @param topic the topic
   * @param partition the partition
   * @param offset the position
   */
  default void onPositionFound(String topic, int partition, long offset) {}

  /**
   * A consumer reads other partitions than before, or none any more since it is closed. Told by the polling thread.
   *
   * @param group Kafka's {@code group.id}; empty without a group
   * @param partitions that it reads now
   */
  default void onAssignmentChanged(String group, List<TopicPartition> partitions) {}

  /**
   * A call of poll begins, whether it will hand out records or not. Called by the polling thread. While a listener has
   * this method, consumers keep the time of their last poll
   * ({@link dev.decant.kafka.consumer.ConsumerStatus#nanosSincePoll}); polls read no clock otherwise.
   *
   * @param group Kafka's {@code group.id}; empty without a group
   */
  default void onPollBegan(String group) {}

  /**
   * A call of poll handed out records of a partition. Called by the polling thread, after the last of them and before
   * those of another partition.
   *
   * @param topic the topic
   * @param partition the partition
   * @param records how many, at least one
   */
  default void onDelivered(String topic, int partition, int records) {}

  /**
   * A call of poll handed out records. Told by the polling thread, after the last of them.
   *
   * @param records how many, at least one
   */
  default void onPolled(int records) {}

  /**
   * A record that cannot be decoded was passed over. Told by the polling thread.
   *
   * @param topic the topic
   * @param partition the partition
   * @param offset of the record
   * @param cause says what could not be decoded, and why
   */
  default void onRecordSkipped(String topic, int partition, long offset, KafkaException cause) {}
}
