package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import java.util.List;

/** Reads which keys are pending in retry topics. */
@FunctionalInterface
interface StageReader {
  /**
   * The part of a partition of a retry topic that is read.
   *
   * @param id the partition
   * @param from the first offset that may not be done; -1 for the beginning
   * @param done offsets behind that which are done
   */
  record Part(TopicPartition id, long from, DoneOffsets done) {}

  /**
   * The records that were read.
   *
   * @param keys of the records that are not done
   * @param end the offset up to which was read
   */
  record Found(PendingKeys keys, long end) {}

  /**
   * Reads up to the ends that the partitions have now. Called on a thread of its own.
   *
   * @return one for each part, in the same order
   * @throws KafkaException if the brokers do not respond
   * @throws InterruptedException if the work ends
   */
  List<Found> read(List<Part> parts) throws InterruptedException;
}
