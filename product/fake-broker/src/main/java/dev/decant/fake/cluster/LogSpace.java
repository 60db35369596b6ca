package dev.decant.fake.cluster;

import dev.decant.fake.log.PartitionLog;

/**
 * The space that all logs of a cluster share: they are in memory, as if on one disk. Owner of the loop only.
 *
 * <p>Appends increase a count, and nothing decreases it. When the count reaches the bound, the logs are measured, so
 * that space which retention, compaction and deleted topics have freed can be used again.
 */
public final class LogSpace {
  /** Approximate bytes of a batch's objects, beside its own bytes. */
  private static final int BYTES_OF_BATCH = 128;

  private final Topics topics;
  private long most = Long.MAX_VALUE;
  private Runnable whenFull = () -> {};
  /** An upper bound of the bytes in all logs. */
  private long counted;
  private boolean isFull;

  LogSpace(Topics topics) {
    this.topics = topics;
  }

  /**
   * Bounds the bytes of all logs.
   *
   * @param listener runs when a batch finds no space, and again only after another batch has found some
   */
  public void bound(long bytes, Runnable listener) {
    most = bytes;
    whenFull = listener;
  }

  /** Returns the bound in bytes. */
  public long most() {
    return most;
  }

  /**
   * Returns true if there is space for a batch, and counts the batch then. Without a bound the logs took the whole
   * heap, and then no request had a response any more.
   */
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
