package dev.decant.kafka.producer;

import dev.decant.loop.EventLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Changes that threads announce to the sender of a client: queues that have changed, and that more batches may be due.
 *
 * <p>A queue is on the list once at most, even if several threads add it. Any thread adds; the owner of the loop
 * takes.
 */
final class ChangedQueues {
  private static final VarHandle LISTED;
  private static final VarHandle HEAD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LISTED = lookup.findVarHandle(Node.class, "listed", boolean.class);
      HEAD = lookup.findVarHandle(ChangedQueues.class, "head", PartitionQueue.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** What the list keeps in each queue. */
  abstract static class Node {
    /** True while the queue is on a list. Accessed through LISTED. */
    @SuppressWarnings("unused")
    private boolean listed;
    /** The next queue of the list. Written by the thread that adds this one, then by the owner of the loop. */
    private @Nullable PartitionQueue next;
  }

  private final EventLoop loop;
  /** The queue that was added last. Any thread adds; the owner of the loop takes the whole list. */
  @SuppressWarnings("unused") // through HEAD
  private volatile @Nullable PartitionQueue head;
  /** True if batches that were not due may be due now: a thread flushes or waits for memory. */
  private volatile boolean mayBeDue;
  /** True if any queue with work may be able to send: metadata, a producer id or a transaction has changed. */
  private volatile boolean resumed;

  ChangedQueues(EventLoop loop) {
    this.loop = loop;
  }

  /** Puts a queue on the list, and wakes no thread. */
  void add(PartitionQueue queue) {
    Node node = queue;
    if (LISTED.compareAndSet(node, false, true)) {
      PartitionQueue before;
      do {
        before = head;
        node.next = before;
      } while (!HEAD.compareAndSet(this, before, queue));
    }
  }

  /** Makes the sender look at each queue whose batch was not due, in its next round. Wakes no thread. */
  void mayBeDue() {
    mayBeDue = true;
  }

  /** Makes the sender look at each queue that has work, and wakes the owner of the loop. */
  void resumeAll() {
    resumed = true;
    loop.signal();
  }

  // Owner of the loop only.

  /** Takes the list, oldest first. {@link #unlist} takes each queue off it. */
  @Nullable
  PartitionQueue takeAll() {
    PartitionQueue newest = head == null ? null : (PartitionQueue) HEAD.getAndSet(this, null);
    PartitionQueue oldest = null;
    while (newest != null) {
      Node node = newest;
      PartitionQueue next = node.next;
      node.next = oldest;
      oldest = newest;
      newest = next;
    }
    return oldest;
  }

  /** Takes a queue off a list that was taken, and returns the next one. A thread may list the queue again at once. */
  static @Nullable PartitionQueue unlist(PartitionQueue queue) {
    Node node = queue;
    PartitionQueue next = node.next;
    node.next = null;
    LISTED.setVolatile(node, false);
    return next;
  }

  boolean takeMayBeDue() {
    boolean may = mayBeDue;
    if (may) {
      mayBeDue = false;
    }
    return may;
  }

  boolean takeResumed() {
    boolean all = resumed;
    if (all) {
      resumed = false;
    }
    return all;
  }

  /** Returns true if a change needs a round of the loop: an inline run does not replace it. */
  boolean needsRound() {
    return resumed || mayBeDue;
  }
}
