package dev.decant.fake.transaction;

import dev.decant.kafka.protocol.ErrorCode;

/**
 * What a coordinator answers to a producer that begins, or that ends a transaction.
 *
 * @param error {@link ErrorCode#NONE}, or why not
 * @param producer who the producer is from now on
 */
record Outcome(ErrorCode error, ProducerIdentity producer) {
  static Outcome of(ProducerIdentity producer) {
    return new Outcome(ErrorCode.NONE, producer);
  }

  static Outcome failed(ErrorCode error) {
    return new Outcome(error, ProducerIdentity.NONE);
  }
}
