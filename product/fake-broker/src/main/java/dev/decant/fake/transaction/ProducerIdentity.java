package dev.decant.fake.transaction;

/**
 * Who a producer is.
 *
 * @param id its id, -1 for none
 * @param epoch its epoch, -1 for none
 */
record ProducerIdentity(long id, short epoch) {
  /** No producer. */
  static final ProducerIdentity NONE = new ProducerIdentity(-1, (short) -1);

  /** Whether it says nothing. */
  boolean isNone() {
    return id == NONE.id && epoch == NONE.epoch;
  }
}
