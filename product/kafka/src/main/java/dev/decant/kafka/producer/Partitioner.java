package dev.decant.kafka.producer;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chooses the partition of a record. It must be thread-safe and quick: it runs on each thread that sends, before a
 * place in a batch is claimed. If it throws, {@code send} throws, and nothing is sent.
 */
@FunctionalInterface
public interface Partitioner {
  /** Stands for the partition whose batch is being filled now. The next batch goes to another one (KIP-480). */
  int STICKY = -1;

  /**
   * Chooses the partition of one record.
   *
   * @param key the encoded key, from index 0 on; valid and to be left unchanged during the call
   * @param keyLength its bytes; -1 if the record has no key
   * @param partitions how many there are now, one at least; less than before if the topic was deleted and made
   *   again
   * @return 0 to {@code partitions} - 1, or {@link #STICKY}
   */
  int partition(byte[] key, int keyLength, int partitions);

  /**
   * Apache's choice and the default: records with a key by the key's murmur2 hash, others sticky.
   *
   * @return without a state
   */
  static Partitioner byKey() {
    return (key, keyLength, partitions) -> keyLength < 0 ? STICKY : Murmur2.partition(key, keyLength, partitions);
  }

  /**
   * Chooses one partition after the other, whatever the key. Batches are smaller than with {@link #STICKY}.
   *
   * @return begins with partition 0; for one producer
   */
  static Partitioner roundRobin() {
    AtomicInteger next = new AtomicInteger();
    return (key, keyLength, partitions) -> Math.floorMod(next.getAndIncrement(), partitions);
  }
}
