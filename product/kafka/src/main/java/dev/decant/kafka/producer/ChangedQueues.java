package dev.decant.kafka.producer;

import dev.decant.loop.EventLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Changes for the sender of a client: queues that have changed, and whether more batches may be due.
 *
 * <p>A queue is on the list once at most, however many threads put it there. Any thread adds; the owner of the loop
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
    /** Whether it is on a list; through LISTED. */
    @SuppressWarnings("unused")
    private boolean listed;
    /** The queue behind it. Written by the thread that adds it, and then by the owner of the loop. */
    private @Nullable PartitionQueue next;
  }

  private final EventLoop loop;
  /** Newest first; pushed by any thread, taken whole by the owner of the loop. */
  @SuppressWarnings("unused") // through HEAD
  private volatile @Nullable PartitionQueue head;
  /** Batches that were not due may be due now: somebody flushes or waits for memory. */
  private volatile boolean mayBeDue;
  /** Any queue with work may be able to send now: metadata, a producer id or a transaction has changed. */
  private volatile boolean resumed;

  ChangedQueues(EventLoop loop) {
    this.loop = loop;
  }

  /** Puts a queue on the list, and leaves it to the caller whether the owner of the loop is woken. */
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

  /** Has the sender look, when it looks next, at each queue whose batch was not due. */
  void mayBeDue() {
    mayBeDue = true;
  }

  /** Has the sender look soon at each queue that has work. */
  void resumeAll() {
    resumed = true;
    loop.signal();
  }

  // Owner of the loop only.

  /** Takes the list, oldest first; {@link #unlist} takes it apart. */
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

  /** Takes a queue off a list that was taken, before the sender looks at it, and returns the one behind it. */
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

  /** Whether something waits for a round of its own, which an inline run does not replace. */
  boolean needsRound() {
    return resumed || mayBeDue;
  }
}
