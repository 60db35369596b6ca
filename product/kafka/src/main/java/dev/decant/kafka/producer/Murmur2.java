package dev.decant.kafka.producer;

/** The 32-bit MurmurHash2 with Kafka's seed: keys go to the partitions that Apache's partitioner chooses. */
final class Murmur2 {
  private static final int SEED = 0x9747b28c;
  private static final int M = 0x5bd1e995;
  private static final int R = 24;

  private Murmur2() {}

  /** Partition of a key: the hash without its sign, modulo the number of partitions. */
  static int partition(byte[] key, int length, int partitions) {
    return (hash(key, length) & 0x7fffffff) % partitions;
  }

  static int hash(byte[] data, int length) {
    int h = SEED ^ length;
    int whole = length & ~3;
    for (int i = 0; i < whole; i += 4) {
      int k = (data[i] & 0xff) | ((data[i + 1] & 0xff) << 8) | ((data[i + 2] & 0xff) << 16)
          | ((data[i + 3] & 0xff) << 24);
      k *= M;
      k ^= k >>> R;
      k *= M;
      h = (h * M) ^ k;
    }
    int rest = length - whole;
    if (rest > 0) {
      for (int i = rest - 1; i >= 0; i--) {
        h ^= (data[whole + i] & 0xff) << (8 * i);
      }
      h *= M;
    }
    h ^= h >>> 13;
    h *= M;
    return h ^ (h >>> 15);
  }
}
