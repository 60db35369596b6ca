package dev.decant.fake.transaction;

import dev.decant.kafka.protocol.ErrorCode;

/** The error of a producer that is fenced. */
final class Fence {
  private static final int FIRST_FENCED = 2;

  private Fence() {}

  /** The same error as clients of a version of AddPartitionsToTxn, AddOffsetsToTxn or EndTxn know it (KIP-588). */
  static ErrorCode inVersion(short version, ErrorCode error) {
    return error == ErrorCode.PRODUCER_FENCED && version < FIRST_FENCED ? ErrorCode.INVALID_PRODUCER_EPOCH : error;
  }
}
