package dev.decant.fake.transaction;

import dev.decant.kafka.protocol.ErrorCode;

/**
 * A coordinator's response to a producer that starts, or that ends a transaction.
 *
 * @param error {@link ErrorCode#NONE}, or the reason of the refusal
 * @param producer id and epoch of the producer from now on
 */
record Outcome(ErrorCode error, ProducerIdentity producer) {
  static Outcome of(ProducerIdentity producer) {
    return new Outcome(ErrorCode.NONE, producer);
  }

  static Outcome failed(ErrorCode error) {
    return new Outcome(error, ProducerIdentity.NONE);
  }
}
