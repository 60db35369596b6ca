package dev.decant.fake.transaction;

/**
 * Id and epoch of a producer.
 *
 * @param id -1 for none
 * @param epoch -1 for none
 */
record ProducerIdentity(long id, short epoch) {
  /** No producer. */
  static final ProducerIdentity NONE = new ProducerIdentity(-1, (short) -1);

  /** Returns true if there is no producer. */
  boolean isNone() {
    return id == NONE.id && epoch == NONE.epoch;
  }
}
