package dev.decant.kafka.producer;

/**
 * The sequence numbers of a partition under one producer identity (KIP-98): 0 for the first record, and 0 again after
 * the largest int. Owner of the loop only.
 */
final class Numbering {
  private static final long NONE = -1;
  /** Brokers leave the largest one to fencing. */
  private static final short LAST_EPOCH = Short.MAX_VALUE - 1;

  private long producerId = NONE;
  private short epoch;
  private int next;
  private boolean gap;
  private boolean confirmed;

  boolean hasBegun() {
    return producerId != NONE;
  }

  /** Begins with 0. */
  void begin(long id, short idEpoch) {
    producerId = id;
    epoch = idEpoch;
    next = 0;
    gap = false;
    confirmed = false;
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
    confirmed = false;
    return true;
  }

  /** Numbers are of no use any more; another identity is needed. */
  void end() {
    producerId = NONE;
    gap = false;
    confirmed = false;
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

  /** The broker has stored a batch that was numbered under an identity and epoch; the present ones, perhaps. */
  void confirm(long id, short idEpoch) {
    confirmed |= id == producerId && idEpoch == epoch;
  }

  /**
   * Whether the broker knows the identity. It takes whatever number comes first under one that it does not know, so
   * nothing may overtake the first batch.
   */
  boolean isConfirmed() {
    return confirmed;
  }

  /** A number was used that the broker may never see: those after it will be refused. */
  void markGap() {
    gap = true;
  }

  boolean hasGap() {
    return gap;
  }
}
