package dev.decant.kafka.fetch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queue of fetched records from the owner of the loop, which adds, to the polling thread, which takes. A linked list
 * for one thread at each end, without a lock. Nodes that the polling thread has passed are used again, so a queue that
 * does not grow allocates nothing.
 */
final class FetchedQueue {
  private static final VarHandle NEXT;
  private static final VarHandle PASSED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEXT = lookup.findVarHandle(Node.class, "next", Node.class);
      PASSED = lookup.findVarHandle(FetchedQueue.class, "passed", Node.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * One place. The node before the first filled one stays, empty: it is the end of the nodes that may be used again.
   */
  private static final class Node {
    @Nullable
    FetchedRecords value;
    /** Set with release when the next node is filled: a thread that sees the node also sees its value. */
    @Nullable
    Node next;
  }

  // Written by the polling thread. The owner of the loop reads it to find nodes that it may use again.
  private Node passed = new Node();

  // Owner of the loop only.
  private Node last = passed;
  private Node oldest = passed;
  /** Copy of {@link #passed} at its last read. Nodes before it may be used again. */
  private Node reusable = passed;

  /** Adds records. Owner of the loop. */
  void add(FetchedRecords records) {
    Node node = take();
    node.value = records;
    NEXT.setRelease(last, node);
    last = node;
  }

  /** Adds several parts in order, or none if there is no memory for their nodes. Owner of the loop. */
  void addAll(List<FetchedRecords> records, int count) {
    Node first = null;
    Node end = last;
    for (int i = 0; i < count; i++) {
      Node node = take();
      node.value = records.get(i);
      if (first == null) {
        first = node;
      } else {
        end.next = node;
      }
      end = node;
    }
    if (first != null) {
      NEXT.setRelease(last, first);
      last = end;
    }
  }

  private Node take() {
    if (oldest == reusable) {
      reusable = (Node) PASSED.getAcquire(this);
    }
    Node node = oldest;
    Node after = node.next;
    if (node == reusable || after == null) {
      return new Node();
    }
    oldest = after;
    node.next = null;
    return node;
  }

  /** Removes and returns the oldest records; null if there are none. Polling thread. */
  @Nullable
  FetchedRecords poll() {
    Node node = (Node) NEXT.getAcquire(passed);
    if (node == null) {
      return null;
    }
    FetchedRecords records = node.value;
    node.value = null;
    PASSED.setRelease(this, node);
    return records;
  }

  /** Returns true if the queue seems empty. Exact for the polling thread only. */
  boolean isEmpty() {
    Node node = (Node) PASSED.getAcquire(this);
    return NEXT.getAcquire(node) == null;
  }
}
