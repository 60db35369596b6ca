package dev.decant.fake.share;

import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import java.util.List;

/**
 * A member's acknowledgement of a range of records.
 *
 * @param first first offset
 * @param last last offset
 * @param types one type for all records, or one for each
 */
record Ack(long first, long last, List<Byte> types) {

  static final byte GAP = 0;
  static final byte ACCEPT = 1;
  static final byte RELEASE = 2;
  static final byte REJECT = 3;
  static final byte RENEW = 4;

  static Ack of(ShareFetchRequest.AcknowledgementBatch batch) {
    return new Ack(batch.firstOffset(), batch.lastOffset(), batch.acknowledgeTypes());
  }

  static Ack of(ShareAcknowledgeRequest.AcknowledgementBatch batch) {
    return new Ack(batch.firstOffset(), batch.lastOffset(), batch.acknowledgeTypes());
  }

  /** Returns true if each record has its own type. */
  boolean isPerRecord() {
    return types.size() > 1;
  }

  byte typeOf(long offset) {
    return types.get(isPerRecord() ? (int) (offset - first) : 0);
  }

  /**
   * Returns true if the acknowledgements of a partition are well-formed.
   *
   * @param all acknowledgements in the order of the request
   * @param mayRenew true if the request says that it renews locks
   * @param largestType last type in the version of the request
   */
  static boolean areValid(List<Ack> all, boolean mayRenew, byte largestType) {
    long end = -1;
    for (Ack ack : all) {
      boolean isInOrder = ack.first <= ack.last && ack.first >= end;
      boolean isComplete = ack.types.size() == 1
          || (ack.types.size() > 1 && ack.last - ack.first == ack.types.size() - 1);
      if (!isInOrder || !isComplete
          || ack.types.stream().anyMatch(type -> type < GAP || type > largestType || (type == RENEW && !mayRenew))) {
        return false;
      }
      end = ack.last;
    }
    return true;
  }
}
