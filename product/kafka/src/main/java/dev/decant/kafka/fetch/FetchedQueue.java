package dev.decant.kafka.fetch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was fetched, on its way from the owner of the loop, who adds, to the polling thread, who takes: a linked queue
 * for one at each end, without a lock. Nodes that the polling thread has passed are used again, so that a queue that
 * does not grow costs no memory.
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

  /** One place. The one before the first that is filled is kept, empty, as the end of what may be used again. */
  private static final class Node {
    @Nullable
    FetchedRecords value;
    /** Set with release when the next one is filled, so that who sees it sees its value. */
    @Nullable
    Node next;
  }

  // Polling thread; read by the owner of the loop to learn what may be used again.
  private Node passed = new Node();

  // Owner of the loop only.
  private Node last = passed;
  private Node oldest = passed;
  /** As {@link #passed} was when somebody looked; nodes before it may be used again. */
  private Node reusable = passed;

  /** Owner of the loop. */
  void add(FetchedRecords records) {
    Node node = take();
    node.value = records;
    NEXT.setRelease(last, node);
    last = node;
  }

  /** Adds several in their order; all, or none if there is no memory for their places. Owner of the loop. */
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

  /** The oldest, which is taken; polling thread. */
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

  /** A hint to all threads but the polling one, which learns the truth. */
  boolean isEmpty() {
    Node node = (Node) PASSED.getAcquire(this);
    return NEXT.getAcquire(node) == null;
  }
}
