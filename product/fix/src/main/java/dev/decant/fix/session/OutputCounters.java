package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the messages on their way to the socket: those queued, and those that the socket has taken. The difference
 * waits. Senders count under the session's lock, the owner without it, each in counters of its own. Any thread may read
 * them, and sees each value at most a moment late.
 */
public final class OutputCounters {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  // Written under the session's lock.
  private static final int NEW_MESSAGES = 0;
  private static final int NEW_BYTES = 1;
  // Written by the owner only.
  private static final int AGAIN_MESSAGES = 2;
  private static final int AGAIN_BYTES = 3;
  private static final int TAKEN_MESSAGES = 4;
  private static final int TAKEN_BYTES = 5;
  private static final int DONE_MESSAGES = 6;
  private static final int DONE_BYTES = 7;
  private static final int LENGTH = 8;

  private final long[] values = new long[LENGTH];
  /** Messages and bytes of the slice at the socket. Owner only. */
  private int sliceMessages;
  private int sliceBytes;

  OutputCounters() {}

  private void add(int messagesIndex, int messages, long bytes) {
    LONGS.setOpaque(values, messagesIndex, values[messagesIndex] + messages);
    LONGS.setOpaque(values, messagesIndex + 1, values[messagesIndex + 1] + bytes);
  }

  private long get(int index) {
    return (long) LONGS.getOpaque(values, index);
  }

  /** Counts a queued message with a new number. Requires the session's lock. */
  void queued(int bytes) {
    add(NEW_MESSAGES, 1, bytes);
  }

  /** Counts a queued message that is resent. Owner only. */
  void queuedAgain(int bytes) {
    add(AGAIN_MESSAGES, 1, bytes);
  }

  /** Notes the slice that goes to the socket. Owner only. */
  void taken(int messages, int bytes) {
    add(TAKEN_MESSAGES, messages, bytes);
    sliceMessages = messages;
    sliceBytes = bytes;
  }

  /** Counts the slice as taken by the socket. Owner only. */
  void sliceWritten() {
    add(DONE_MESSAGES, sliceMessages, sliceBytes);
    sliceMessages = 0;
    sliceBytes = 0;
  }

  /** Counts all messages as taken, because none waits any longer. Owner only, with the session's lock. */
  void clear() {
    sliceMessages = 0;
    sliceBytes = 0;
    LONGS.setOpaque(values, DONE_MESSAGES, values[NEW_MESSAGES] + values[AGAIN_MESSAGES]);
    LONGS.setOpaque(values, DONE_BYTES, values[NEW_BYTES] + values[AGAIN_BYTES]);
  }

  /** Returns how many messages wait for the socket, a message that it has taken in part included. */
  public long waitingMessages() {
    return waiting(DONE_MESSAGES, NEW_MESSAGES, AGAIN_MESSAGES);
  }

  /** Returns how many bytes wait for the socket, those of a slice that it has taken in part included. */
  public long waitingBytes() {
    return waiting(DONE_BYTES, NEW_BYTES, AGAIN_BYTES);
  }

  /**
   * Reads the count of taken messages first: it never exceeds what was queued before, so the difference is not
   * negative.
   */
  private long waiting(int done, int fresh, int again) {
    long finished = (long) LONGS.getAcquire(values, done);
    return Math.max(0, get(fresh) + get(again) - finished);
  }

  /**
   * Returns how many messages went to the socket since the session was opened, session messages and resent ones
   * included.
   */
  public long sentMessages() {
    return get(TAKEN_MESSAGES);
  }

  /** Returns how many bytes went to the socket since the session was opened. */
  public long sentBytes() {
    return get(TAKEN_BYTES);
  }

  /** Returns how many messages were resent since the session was opened, gap fills included. */
  public long resentMessages() {
    return get(AGAIN_MESSAGES);
  }
}
