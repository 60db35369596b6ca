package dev.decant.fake.cluster;

import dev.decant.fake.log.PartitionLog;

/**
 * The room that all logs of a cluster have together: they are in memory, as if on one disk. Owner of the loop only.
 *
 * <p>Appends count up, and nothing counts down. When the count reaches the bound, the logs are measured, so what
 * retention, compaction and deleted topics have freed can be used again.
 */
public final class LogSpace {
  /** About what the objects of a batch take beside its bytes. */
  private static final int BYTES_OF_BATCH = 128;

  private final Topics topics;
  private long most = Long.MAX_VALUE;
  private Runnable whenFull = () -> {};
  /** At least the bytes that the logs have. */
  private long counted;
  private boolean isFull;

  LogSpace(Topics topics) {
    this.topics = topics;
  }

  /**
   * Bounds the bytes of all logs.
   *
   * @param bytes the bound
   * @param listener runs when a batch finds no room, and again only after another one has found some
   */
  public void bound(long bytes, Runnable listener) {
    most = bytes;
    whenFull = listener;
  }

  /** The bound in bytes. */
  public long most() {
    return most;
  }

  /** Whether there is room for a batch, which is counted then. */
  public boolean takes(int bytes) {
    long needed = (long) bytes + BYTES_OF_BATCH;
    if (needed > most - counted) {
      counted = measure();
    }
    boolean hasRoom = needed <= most - counted;
    if (hasRoom) {
      counted += needed;
    } else if (!isFull) {
      whenFull.run();
    }
    isFull = !hasRoom;
    return hasRoom;
  }

  private long measure() {
    long bytes = 0;
    for (Topic topic : topics.all()) {
      for (Partition partition : topic.partitions()) {
        if (partition.hasLog()) {
          PartitionLog log = partition.log();
          bytes += log.size() + (long) log.batches().size() * BYTES_OF_BATCH;
        }
      }
    }
    return bytes;
  }
}
