package dev.decant.kafka.transaction;

/**
 * The sequence numbers of a partition under one producer identity (KIP-98): 0 for the first record, and 0 again after
 * the largest int. Owner of the loop only.
 *
 * <p>A refusal alone does not prove a missing batch: after a restart a broker knows the last batch of a producer only.
 * Younger batches in doubt are sent again. A stored one proves the older ones stored; they are acknowledged without an
 * offset. If none is stored, they go under the next epoch.
 *
 * <p>A clear refusal (a batch is too large, or has an invalid record) does prove that the batch is not stored. Its
 * numbers are used again, so the broker sees no gap.
 */
public final class SequenceNumbers {
  private static final long NONE = -1;
  /** Brokers leave the largest one to fencing. */
  private static final short LAST_EPOCH = Short.MAX_VALUE - 1;

  private long producerId = NONE;
  private short epoch;
  private int next;
  private boolean gap;
  /** With a gap, the first number that no batch in the log has; {@link #NONE} if one behind the gap may be stored. */
  private long firstFree = NONE;
  /** The place in its queue of the last batch that the broker has stored under these; 0 if it has none. */
  private long lastStored;

  /** No numbers yet. */
  public SequenceNumbers() {}

  /**
   * Tells whether there is an identity to number under.
   *
   * @return true after {@link #begin}
   */
  public boolean hasBegun() {
    return producerId != NONE;
  }

  /**
   * Begins with 0.
   *
   * @param id of the producer
   * @param idEpoch its epoch
   */
  public void begin(long id, short idEpoch) {
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
  public boolean bump() {
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
  public void end() {
    producerId = NONE;
    gap = false;
    lastStored = 0;
  }

  /**
   * The identity.
   *
   * @return the producer id; -1 if there is none
   */
  public long producerId() {
    return producerId;
  }

  /**
   * The epoch of the identity.
   *
   * @return meaningless without an identity
   */
  public short epoch() {
    return epoch;
  }

  /**
   * Takes the numbers of a batch.
   *
   * @param records how many
   * @return the number of the first
   */
  public int take(int records) {
    int first = next;
    next = after(first, records);
    return first;
  }

  /**
   * A batch is given up that the broker has refused at each attempt: its numbers, and those after it, are free again
   * once all batches after it are known not to be stored. See {@link #rewind}.
   *
   * @param first the number of its first record
   */
  public void release(int first) {
    if (!gap) {
      gap = true;
      firstFree = first;
    } else if (firstFree != NONE && !isAtOrAfter(first, (int) firstFree)) {
      firstFree = first;
    }
  }

  /**
   * Tells whether a number comes after those that the broker has: a batch with it was not stored, unless an attempt
   * ended without an answer.
   *
   * @param number of a batch
   * @return true if it was released, or comes after one that was
   */
  public boolean isReleased(int number) {
    return gap && firstFree != NONE && isAtOrAfter(number, (int) firstFree);
  }

  /**
   * Tells whether the gap can be closed by {@link #rewind}.
   *
   * @return false if there is no gap, or a batch behind it may be stored
   */
  public boolean canRewind() {
    return gap && firstFree != NONE;
  }

  /** Goes on with the first number that was released. Batches with numbers from there on get others. */
  public void rewind() {
    next = (int) firstFree;
    gap = false;
    firstFree = NONE;
  }

  /** Compares two numbers that are less than half of all numbers apart. */
  private static boolean isAtOrAfter(int number, int other) {
    return ((number - other) & Integer.MAX_VALUE) <= Integer.MAX_VALUE / 2;
  }

  /**
   * The number that comes so many after another.
   *
   * @param number the other
   * @param records how many
   * @return 0 after the largest int
   */
  public static int after(int number, int records) {
    return (number + records) & Integer.MAX_VALUE; // 0 follows the largest int
  }

  /**
   * The broker has stored a batch that was numbered under the present identity and epoch. If that comes after numbers
   * that were released, the broker has forgotten the identity meanwhile, and took whatever came first. It would take
   * another batch under the same numbers for this one, so they are not used again.
   *
   * @param place of the batch in its queue, from 1
   * @param first the number of its first record
   */
  public void confirm(long place, int first) {
    lastStored = Math.max(lastStored, place);
    if (isReleased(first)) {
      firstFree = NONE;
    }
  }

  /**
   * Whether a batch that was numbered under the present identity and epoch must be stored: the broker takes numbers in
   * their order only, and has stored a younger one. (A broker that has lost all it knew of the identity takes any
   * number, but has lost records then, too.)
   *
   * @param place of the batch in its queue
   * @return false if it may not be stored
   */
  public boolean isStored(long place) {
    return place < lastStored;
  }

  /**
   * Whether the broker knows the identity. It takes whatever number comes first under one that it does not know, so
   * nothing may overtake the first batch.
   *
   * @return true once it has stored a batch
   */
  public boolean isConfirmed() {
    return lastStored > 0;
  }

  /** A number was used that the broker may or may not have: those after it will be refused if it has not. */
  public void markGap() {
    gap = true;
    firstFree = NONE;
  }

  /**
   * Tells whether a number is missing.
   *
   * @return true from {@link #markGap} or {@link #release} on, until {@link #rewind}, the next epoch or identity
   */
  public boolean hasGap() {
    return gap;
  }
}
