package dev.decant.kafka.producer;

/**
 * The sequence numbers of a partition under one producer identity (KIP-98): 0 for the first record, and 0 again after
 * the largest int. Owner of the loop only.
 */
final class Numbering {
  private static final long NONE = -1;

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
    long after = (long) first + records;
    next = (int) (after > Integer.MAX_VALUE ? after - Integer.MAX_VALUE - 1 : after);
    return first;
  }

  /** The broker has stored a batch that was numbered under an identity; the present one, perhaps. */
  void confirm(long id) {
    confirmed |= id == producerId;
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
