package dev.decant.kafka.producer;

/**
 * The sequence numbers of a partition under one producer identity (KIP-98): 0 for the first record, and 0 again after
 * the largest int. Owner of the loop only.
 *
 * <p>A refusal alone does not prove a missing batch: after a restart a broker knows the last batch of a producer only.
 * Younger batches in doubt are sent again. A stored one proves the older ones stored; they are acknowledged without an
 * offset. If none is stored, they go under the next epoch.
 */
final class SequenceNumbers {
  private static final long NONE = -1;
  /** Brokers leave the largest one to fencing. */
  private static final short LAST_EPOCH = Short.MAX_VALUE - 1;

  private long producerId = NONE;
  private short epoch;
  private int next;
  private boolean gap;
  /** The place in its queue of the last batch that the broker has stored under these; 0 if it has none. */
  private long lastStored;

  boolean hasBegun() {
    return producerId != NONE;
  }

  /** Begins with 0. */
  void begin(long id, short idEpoch) {
    producerId = id;
    epoch = idEpoch;
    next = 0;
    gap = false;
    lastStored = 0;
  }

  /**
   * Begins with 0 again, under the next epoch: the broker takes nothing more of the one before, so that a batch that
   * was given up and is late cannot come in between (KIP-360). Each partition has its own numbers at the broker, so
   * the others need not follow.
   *
   * @return false if there is no next epoch; another identity is needed then
   */
  boolean bump() {
    if (epoch >= LAST_EPOCH) {
      return false;
    }
    epoch++;
    next = 0;
    gap = false;
    lastStored = 0;
    return true;
  }

  /** Numbers are of no use any more; another identity is needed. */
  void end() {
    producerId = NONE;
    gap = false;
    lastStored = 0;
  }

  long producerId() {
    return producerId;
  }

  short epoch() {
    return epoch;
  }

  /** The number of the first of so many records. */
  int take(int records) {
    int first = next;
    next = after(first, records);
    return first;
  }

  /** The number that comes so many after another. */
  static int after(int number, int records) {
    return (number + records) & Integer.MAX_VALUE; // 0 follows the largest int
  }

  /** The broker has stored a batch; it was numbered under the present identity and epoch, perhaps. */
  void confirm(ProducerBatch batch) {
    if (batch.isNumberedBy(this)) {
      lastStored = Math.max(lastStored, batch.number);
    }
  }

  /**
   * Whether a batch must be stored, since the broker takes numbers in their order only, and has stored a younger one.
   * (One that has lost all it knew of the identity takes any number, but has lost records then, too.)
   */
  boolean isStored(ProducerBatch batch) {
    return batch.isNumberedBy(this) && batch.number < lastStored;
  }

  /**
   * Whether the broker knows the identity. It takes whatever number comes first under one that it does not know, so
   * nothing may overtake the first batch.
   */
  boolean isConfirmed() {
    return lastStored > 0;
  }

  /** A number was used that the broker may never see: those after it will be refused. */
  void markGap() {
    gap = true;
  }

  boolean hasGap() {
    return gap;
  }
}
