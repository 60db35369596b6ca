package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the messages on their way to the socket: what was queued, and what the socket has taken. The difference waits.
 * Senders add under the session's lock, the owner without it, each to counters of its own. Any thread reads them, at
 * most a moment late.
 */
public final class OutputCounters {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  // With the session's lock.
  private static final int NEW_MESSAGES = 0;
  private static final int NEW_BYTES = 1;
  // Owner only.
  private static final int AGAIN_MESSAGES = 2;
  private static final int AGAIN_BYTES = 3;
  private static final int TAKEN_MESSAGES = 4;
  private static final int TAKEN_BYTES = 5;
  private static final int DONE_MESSAGES = 6;
  private static final int DONE_BYTES = 7;
  private static final int LENGTH = 8;

  private final long[] values = new long[LENGTH];
  /** The slice at the socket; owner only. */
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

  /** With the session's lock: a message with a new number was queued. */
  void queued(int bytes) {
    add(NEW_MESSAGES, 1, bytes);
  }

  /** Owner only: a message was queued that is sent again. */
  void queuedAgain(int bytes) {
    add(AGAIN_MESSAGES, 1, bytes);
  }

  /** Owner only: messages go to the socket. */
  void taken(int messages, int bytes) {
    add(TAKEN_MESSAGES, messages, bytes);
    sliceMessages = messages;
    sliceBytes = bytes;
  }

  /** Owner only: the socket has taken the slice. */
  void sliceWritten() {
    add(DONE_MESSAGES, sliceMessages, sliceBytes);
    sliceMessages = 0;
    sliceBytes = 0;
  }

  /** Owner only, with the session's lock: nothing waits any more. */
  void clear() {
    sliceMessages = 0;
    sliceBytes = 0;
    LONGS.setOpaque(values, DONE_MESSAGES, values[NEW_MESSAGES] + values[AGAIN_MESSAGES]);
    LONGS.setOpaque(values, DONE_BYTES, values[NEW_BYTES] + values[AGAIN_BYTES]);
  }

  /**
   * How many messages wait for the socket.
   *
   * @return with those that the socket has taken in part
   */
  public long waitingMessages() {
    return waiting(DONE_MESSAGES, NEW_MESSAGES, AGAIN_MESSAGES);
  }

  /**
   * How many bytes wait for the socket.
   *
   * @return with those of a slice that the socket has taken in part
   */
  public long waitingBytes() {
    return waiting(DONE_BYTES, NEW_BYTES, AGAIN_BYTES);
  }

  /** What is done is read first: it never exceeds what was queued before. */
  private long waiting(int done, int fresh, int again) {
    long finished = (long) LONGS.getAcquire(values, done);
    return Math.max(0, get(fresh) + get(again) - finished);
  }

  /**
   * How many messages went to the socket.
   *
   * @return since the session was opened; messages of the session and those sent again included
   */
  public long sentMessages() {
    return get(TAKEN_MESSAGES);
  }

  /**
   * How many bytes went to the socket.
   *
   * @return since the session was opened
   */
  public long sentBytes() {
    return get(TAKEN_BYTES);
  }

  /**
   * How many messages were sent again, gap fills included.
   *
   * @return since the session was opened
   */
  public long resentMessages() {
    return get(AGAIN_MESSAGES);
  }
}
