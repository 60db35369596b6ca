package dev.decant.fake.log;

/**
 * What a log remembers of a producer from the question whether its transaction has the partition (KIP-890) until a
 * batch or a marker of a transaction is appended. A question whose answer was no leaves it, too. Batches without a
 * transaction are checked against it like others.
 */
final class Verification {
  private final long sinceMillis;
  private final boolean hasEpochOfTransaction;
  private short epoch;
  private int lowestSequence;

  /**
   * Begins with the first question.
   *
   * @param hasEpochOfTransaction whether the producer gets the next epoch with each transaction (KIP-890, part 2), so
   *     that its numbers begin at zero where nothing is known of it
   */
  Verification(long sinceMillis, boolean hasEpochOfTransaction, short epoch, int sequence) {
    this.sinceMillis = sinceMillis;
    this.hasEpochOfTransaction = hasEpochOfTransaction;
    this.epoch = epoch;
    this.lowestSequence = sequence;
  }

  /** Another question of the producer: a later epoch has numbers of its own. */
  void asked(short ofEpoch, int sequence) {
    if (ofEpoch > epoch || (ofEpoch == epoch && sequence < lowestSequence)) {
      lowestSequence = sequence;
      epoch = ofEpoch;
    }
  }

  /** Whether brokers take a batch with a first sequence number, as far as the questions tell. */
  boolean admits(int firstSequence, boolean isKnown) {
    return firstSequence <= lowestSequence && (isKnown || firstSequence == 0 || !hasEpochOfTransaction);
  }

  /** Whether a marker leaves it: one that does not end a transaction of an epoch before. */
  boolean outlasts(short markerEpoch) {
    return hasEpochOfTransaction && markerEpoch == epoch;
  }

  long sinceMillis() {
    return sinceMillis;
  }

  Verification copy() {
    return new Verification(sinceMillis, hasEpochOfTransaction, epoch, lowestSequence);
  }
}
