package dev.decant.fake.transaction;

import dev.decant.kafka.protocol.ErrorCode;

/** The error of a fenced producer. */
final class Fence {
  private static final int FIRST_FENCED = 2;

  private Fence() {}

  /**
   * Returns the error in the form that clients of a version of AddPartitionsToTxn, AddOffsetsToTxn or EndTxn know
   * (KIP-588).
   */
  static ErrorCode inVersion(short version, ErrorCode error) {
    return error == ErrorCode.PRODUCER_FENCED && version < FIRST_FENCED ? ErrorCode.INVALID_PRODUCER_EPOCH : error;
  }
}
