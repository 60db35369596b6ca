package dev.decant.kafka.work.bridge;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Stores copies of records: dead letters, and records for a retry topic. The thread that polls calls it. */
public interface CopySink {
  /**
   * Sends a copy without waiting.
   *
   * @param topic takes the copy
   * @param key bytes of its key
   * @param value bytes of its value
   * @param options its headers, partition and timestamp; read during the call
   * @param outcome called once if this returns true, on any thread
   * @return false if the copy cannot be taken now; the caller tries again later
   * @throws KafkaException if the copy will not be taken
   */
  boolean send(String topic, byte @Nullable [] key, byte @Nullable [] value, SendOptions options, SendListener outcome);

  /**
   * Waits for the outcome of copies that were sent, and releases everything.
   *
   * @param timeout to wait at most
   */
  void close(Duration timeout);
}
