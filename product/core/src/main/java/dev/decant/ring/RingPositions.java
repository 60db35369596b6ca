package dev.decant.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The two ends of a queue of bytes. The producer appends at the tail, and the consumer takes from the head. Positions
 * count bytes since the queue was made, so they only grow. The user of this class has the memory.
 *
 * <pre>
 *          head                 tail
 *   -------+--------------------+---------------
 *    taken | published          | free, or written and not published yet
 * </pre>
 *
 * <p>There is one producer at a time and one consumer at a time. Several threads may take turns if a lock orders them.
 * Each end has cache lines of its own, so a store to one end does not slow down the thread at the other.
 *
 * <p>A producer writes its bytes, then publishes the position after them. It abandons a claim by not publishing it:
 * the consumer has seen nothing, and the next claim begins at the same position. So a producer that fails in between
 * does not block the consumer.
 */
public sealed class RingPositions permits ByteRing {
  /** Distance between the ends, in longs: two cache lines, since processors fetch lines in pairs. */
  private static final int STRIDE = 16;
  private static final int TAIL = STRIDE;
  /** The head as the producer has last seen it. Producer only. */
  static final int SEEN_HEAD = TAIL + 1;
  private static final int HEAD = 2 * STRIDE;
  private static final int LENGTH = 3 * STRIDE;

  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /** Tail and {@link #SEEN_HEAD} are stored by the producer, the head by the consumer. */
  final long[] positions = new long[LENGTH];

  /**
   * Makes a queue whose bytes between two positions are published already.
   *
   * @param head the position of the first of them
   * @param tail the position after the last of them; equal to the head for an empty queue
   */
  public RingPositions(long head, long tail) {
    positions[TAIL] = tail;
    positions[SEEN_HEAD] = head;
    positions[HEAD] = head;
  }

  /**
   * Returns the tail without ordering it with other loads. Producer only.
   *
   * @return the position after the last byte that was published
   */
  public final long producerTail() {
    return positions[TAIL];
  }

  /**
   * Publishes the bytes before a position. A consumer that sees this tail sees all of them. Producer only.
   *
   * @param tail the position after them
   */
  public final void publish(long tail) {
    LONGS.setRelease(positions, TAIL, tail);
  }

  /**
   * Publishes as {@link #publish} does, by a store that precedes the caller's next volatile load. A producer that then
   * reads whether the consumer sleeps needs this order. Producer only.
   *
   * @param tail the position after the published bytes
   */
  public final void publishVolatile(long tail) {
    LONGS.setVolatile(positions, TAIL, tail);
  }

  /**
   * Returns the tail. The caller then sees all bytes before it. Any thread.
   *
   * @return the position after the last byte that was published
   */
  public final long tail() {
    return (long) LONGS.getVolatile(positions, TAIL);
  }

  /**
   * Returns the head. The consumer no longer reads the bytes before it. Any thread.
   *
   * @return the position of the first byte that the consumer has not released
   */
  public final long head() {
    return (long) LONGS.getVolatile(positions, HEAD);
  }

  /**
   * Returns how many bytes are published and not released. Any thread; others may change the number meanwhile.
   *
   * @return at least 0
   */
  public final long size() {
    long head = head(); // The head is read first: read after the tail, it could be beyond it.
    return tail() - head;
  }

  /**
   * Returns the head without ordering it with other loads. Consumer only.
   *
   * @return the position of the first byte that was not released
   */
  public final long consumerHead() {
    return positions[HEAD];
  }

  /**
   * Releases the bytes before a position: the producer may overwrite them. Consumer only.
   *
   * @param head the position after them, not beyond the tail
   */
  public final void release(long head) {
    LONGS.setRelease(positions, HEAD, head);
  }
}
