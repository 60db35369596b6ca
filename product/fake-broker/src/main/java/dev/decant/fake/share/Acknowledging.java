package dev.decant.fake.share;

import dev.decant.kafka.protocol.ErrorCode;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;

/** Applies the acknowledgements of a member to a partition: all of them, or none. */
final class Acknowledging {
  private final SharePartition share;
  private final String member;
  private final boolean mayRenew;
  private final List<Change> changes = new ArrayList<>();

  /** An ended delivery, and its state before. */
  private record Change(Delivery delivery, Delivery before) {}

  /** An acknowledgement that the member may not make. It becomes part of a response, so it has no stack trace. */
  static final class Problem extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;
    /** The error code of the response. */
    private final ErrorCode error;

    Problem(ErrorCode error, String message) {
      super(message, null, false, false);
      this.error = error;
    }

    ErrorCode error() {
      return error;
    }
  }

  Acknowledging(SharePartition share, String member) {
    this.share = share;
    this.member = member;
    this.mayRenew = share.settings().getBoolean("share.renew.acknowledge.enable");
  }

  /** Applies acknowledgements; those of finished records are ignored. */
  void run(List<Ack> acks) throws Problem {
    try {
      for (Ack ack : acks) {
        if (ack.last() >= share.start()) {
          for (InFlightBatch batch : batchesOf(ack).values()) {
            acknowledge(ack, batch);
          }
        }
      }
    } catch (Problem e) {
      changes.forEach(change -> change.delivery().restore(change.before()));
      throw e;
    }
    if (!changes.isEmpty()) {
      share.store();
    }
    share.changed();
  }

  private NavigableMap<Long, InFlightBatch> batchesOf(Ack ack) throws Problem {
    var batches = share.batches();
    Long floor = batches.floorKey(ack.first());
    if (floor == null && ack.first() < share.start()) {
      floor = batches.floorKey(share.start());
    }
    if (floor == null) {
      throw wrongState("Batch record not found. The request batch offsets are not found in the cache.");
    }
    NavigableMap<Long, InFlightBatch> found = batches.subMap(floor, true, ack.last(), true);
    long end = found.lastEntry().getValue().last();
    if (end < ack.first() || end < ack.last()) {
      String which = end < ack.first() ? "first" : "last";
      throw new Problem(ErrorCode.INVALID_REQUEST,
          "Batch record not found. The " + which + " offset in request is past acquired records.");
    }
    return found;
  }

  private void acknowledge(Ack ack, InFlightBatch batch) throws Problem {
    if (batch.last() < share.start()) {
      return;
    }
    if (!batch.isSplit()) {
      checkOwner(batch.whole());
    }
    boolean isWhole = batch.isWithin(ack.first(), ack.last()) && !ack.isPerRecord() && !batch.isCutBy(share.start());
    if (isWhole && !batch.isSplit()) {
      if (!batch.whole().isAcquired()) {
        throw wrongState("The batch cannot be acknowledged. The batch is not in the acquired state.");
      }
      apply(batch.whole(), ack.typeOf(ack.first()));
      return;
    }
    if (!batch.isSplit() && !batch.whole().isAcquired()) {
      throw wrongState("The batch cannot be acknowledged. The subset batch is not in the acquired state.");
    }
    batch.split();
    long from = Math.max(share.start(), Math.max(ack.first(), batch.first()));
    for (long offset = from; offset <= Math.min(ack.last(), batch.last()); offset++) {
      Delivery delivery = batch.at(offset);
      if (!delivery.isAcquired()) {
        throw wrongState("The offset cannot be acknowledged. The offset is not acquired.");
      }
      if (!delivery.member().equals(member)) {
        throw wrongState("Member is not the owner of offset");
      }
      apply(delivery, ack.typeOf(offset));
    }
  }

  private void checkOwner(Delivery delivery) throws Problem {
    if (delivery.member().equals(Delivery.NO_MEMBER)) {
      throw wrongState("The batch cannot be acknowledged. The batch is not in the acquired state.");
    }
    if (!delivery.member().equals(member)) {
      throw wrongState("Member is not the owner of batch record");
    }
  }

  private void apply(Delivery delivery, byte type) throws Problem {
    if (type == Ack.RENEW) {
      if (!mayRenew) {
        throw wrongState("Renewing acquisition locks is not enabled for the group.");
      }
      delivery.renew(share.lockEndMillis());
      return;
    }
    Delivery before = delivery.copy();
    delivery.end(switch (type) {
      case Ack.ACCEPT -> RecordState.ACKNOWLEDGED;
      case Ack.RELEASE -> RecordState.AVAILABLE;
      default -> RecordState.ARCHIVED;
    }, share.mostDeliveries());
    changes.add(new Change(delivery, before));
  }

  private static Problem wrongState(String message) {
    return new Problem(ErrorCode.INVALID_RECORD_STATE, message);
  }
}
