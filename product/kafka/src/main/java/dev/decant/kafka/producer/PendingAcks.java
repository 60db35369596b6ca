package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.loop.EventLoop;

/**
 * The waits of threads for their records. It is itself the listener of all these records, so a batch does not remember
 * one for each: the tag of a record names its wait and the use of that wait.
 *
 * <pre>
 *   tag:
 *   63            48 47                                    0
 *   +---------------+---------------------------------------+
 *   | number        | ticket of the use                     |
 *   +---------------+---------------------------------------+
 * </pre>
 *
 * <p>Any thread, but for the methods of the listener: these are for the owner of the loop only.
 */
final class PendingAcks implements SendListener {
  private static final int TICKET_BITS = 48;
  private static final long TICKET_MASK = (1L << TICKET_BITS) - 1;

  private final FreeList<PendingAck> all;

  PendingAcks(EventLoop loop) {
    all = new FreeList<>(() -> new PendingAck(loop));
  }

  PendingAck take() {
    return all.take();
  }

  /** Gives back a wait whose record has an outcome, or was not accepted. */
  void give(PendingAck used) {
    all.give(used);
  }

  /** Abandons a wait whose record was accepted. It comes back with its outcome. */
  void abandon(PendingAck used) {
    if (used.abandon()) {
      all.give(used);
    }
  }

  /** The listener of a wait that has begun. A wait that was made for one use is its own listener. */
  SendListener listener(PendingAck begun) {
    return begun.number() == FreeList.NONE ? begun : this;
  }

  /** The tag by which the listener finds the wait of a record. */
  static long tag(PendingAck begun) {
    return (long) begun.number() << TICKET_BITS | begun.ticket();
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {
    PendingAck ack = all.get((int) (tag >>> TICKET_BITS));
    ack.onAck(tag & TICKET_MASK, partition, offset, timestamp);
    takeBack(ack, tag & TICKET_MASK);
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    PendingAck ack = all.get((int) (tag >>> TICKET_BITS));
    ack.onFailure(tag & TICKET_MASK, error);
    takeBack(ack, tag & TICKET_MASK);
  }

  private void takeBack(PendingAck ack, long ticket) {
    if (ack.isLeftBehind(ticket)) {
      all.give(ack);
    }
  }
}
