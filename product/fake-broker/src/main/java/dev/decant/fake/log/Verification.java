package dev.decant.fake.log;

/**
 * The state of a producer between a request to its transaction's coordinator (KIP-890) and the next batch or marker of
 * a transaction in the log. A negative response leaves it, too. Batches without a transaction are checked against it
 * like others.
 */
final class Verification {
  private final long sinceMillis;
  private final boolean hasEpochOfTransaction;
  private short epoch;
  private int lowestSequence;

  /**
   * Starts with the first request.
   *
   * @param hasEpochOfTransaction true if the producer has a new epoch with each transaction (KIP-890, part 2): an
   *     unknown producer must begin with sequence number 0 then
   */
  Verification(long sinceMillis, boolean hasEpochOfTransaction, short epoch, int sequence) {
    this.sinceMillis = sinceMillis;
    this.hasEpochOfTransaction = hasEpochOfTransaction;
    this.epoch = epoch;
    this.lowestSequence = sequence;
  }

  /** Records another request of the producer: a later epoch has its own sequence numbers. */
  void asked(short ofEpoch, int sequence) {
    if (ofEpoch > epoch || (ofEpoch == epoch && sequence < lowestSequence)) {
      lowestSequence = sequence;
      epoch = ofEpoch;
    }
  }

  /** Returns true if brokers accept a batch with a first sequence number, given the requests so far. */
  boolean admits(int firstSequence, boolean isKnown) {
    return firstSequence <= lowestSequence && (isKnown || firstSequence == 0 || !hasEpochOfTransaction);
  }

  /** Returns true if the state stays after a marker: one that does not end a transaction of an earlier epoch. */
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
