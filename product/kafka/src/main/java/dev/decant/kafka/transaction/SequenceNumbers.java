package dev.decant.kafka.transaction;

/**
 * The sequence numbers of a partition under one producer identity (KIP-98): 0 for the first record, and 0 again after
 * the largest int. Owner of the loop only.
 *
 * <p>A refusal alone does not prove that a batch is missing: after a restart a broker knows only the last batch of a
 * producer. Younger batches in doubt are sent again. If one of them is stored, the older ones are stored, too, and are
 * acknowledged without an offset. If none is stored, they are sent under the next epoch (docs/decisions/0027).
 *
 * <p>A clear refusal (a batch is too large, or has an invalid record) does prove that the batch is not stored. Its
 * numbers are used again, so the broker sees no gap.
 */
public final class SequenceNumbers {
  private static final long NONE = -1;
  /** The last epoch that the client uses: brokers keep the largest one for fencing. */
  private static final short LAST_EPOCH = Short.MAX_VALUE - 1;

  private long producerId = NONE;
  private short epoch;
  private int next;
  private boolean gap;
  /** The first number after the gap that no stored batch has; {@link #NONE} if a batch behind the gap may be stored. */
  private long firstFree = NONE;
  /** The place in its queue of the last batch that the broker has stored under this epoch; 0 if there is none. */
  private long lastStored;

  /** Makes numbers without an identity. */
  public SequenceNumbers() {}

  /** Returns true after {@link #begin}: there is a producer id to number under. */
  public boolean hasBegun() {
    return producerId != NONE;
  }

  /**
   * Begins with 0 under an identity.
   *
   * @param id the producer id
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
   * Begins with 0 again, under the next epoch. The broker then refuses the former epoch, so a late batch that has
   * failed cannot come in between (KIP-360). Each partition has its own numbers at the broker, so the others need not
   * follow.
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

  /** Ends the identity; another one is needed. */
  public void end() {
    producerId = NONE;
    gap = false;
    lastStored = 0;
  }

  /** Returns the producer id; -1 if there is none. */
  public long producerId() {
    return producerId;
  }

  /** Returns the epoch of the identity; it has no meaning without one. */
  public short epoch() {
    return epoch;
  }

  /**
   * Takes the numbers of a batch, and returns the first one.
   *
   * @param records the number of records in the batch
   */
  public int take(int records) {
    int first = next;
    next = after(first, records);
    return first;
  }

  /**
   * Releases the numbers of a batch that has failed and that the broker has refused at each attempt. They and all
   * numbers behind them are free once no batch behind it is stored; see {@link #rewind}.
   *
   * @param first the number of the batch's first record
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
   * Returns true if a number is released, or comes after a released one. The broker has not stored its batch, unless an
   * attempt had no response.
   */
  public boolean isReleased(int number) {
    return gap && firstFree != NONE && isAtOrAfter(number, (int) firstFree);
  }

  /**
   * Returns true if {@link #rewind} can close the gap; false if there is no gap, or a batch behind it may be stored.
   */
  public boolean canRewind() {
    return gap && firstFree != NONE;
  }

  /** Continues with the first released number. Batches with numbers from there on get other ones. */
  public void rewind() {
    next = (int) firstFree;
    gap = false;
    firstFree = NONE;
  }

  /** Compares two numbers that are less than half of all numbers apart. */
  private static boolean isAtOrAfter(int number, int other) {
    return ((number - other) & Integer.MAX_VALUE) <= Integer.MAX_VALUE / 2;
  }

  /** Returns the number that comes a count of records after another; 0 follows the largest int. */
  public static int after(int number, int records) {
    return (number + records) & Integer.MAX_VALUE; // -
  }

  /**
   * Notes that the broker has stored a batch of the present epoch. If released numbers come before it, the broker had
   * forgotten the identity, and so took any number. Those numbers are not used again: the broker would take the next
   * batch with them for the stored one. It was once acknowledged so, and lost.
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
   * Returns true if a batch of the present epoch must be stored: the broker takes numbers only in order, and has stored
   * a younger one. A broker that has lost all state of the identity takes any number, but then it has lost records,
   * too.
   *
   * @param place of the batch in its queue
   */
  public boolean isStored(long place) {
    return place < lastStored;
  }

  /**
   * Returns true once the broker has stored a batch of this identity. It takes any first number of an identity that it
   * does not know, so no batch may overtake the first one.
   */
  public boolean isConfirmed() {
    return lastStored > 0;
  }

  /** Marks a gap: a number was used that the broker may not have. In that case it refuses the numbers behind it. */
  public void markGap() {
    gap = true;
    firstFree = NONE;
  }

  /** Returns true from {@link #markGap} or {@link #release} on, until {@link #rewind} or the next epoch or identity. */
  public boolean hasGap() {
    return gap;
  }
}
