package dev.decant.fix.session;

import dev.decant.fix.store.MessageStore;
import java.nio.ByteBuffer;

/**
 * Copies of stored messages that are sent again next. The store is read under the session's lock, which no application
 * may hold up; from here they are sent without it. Memory is taken at the first replay. Owner of the session only.
 */
final class ReplayBatch implements MessageStore.Replay {
  private static final int MESSAGES = 128;
  private static final int BYTES = 32 * 1024;

  private final long[] numbers = new long[MESSAGES];
  private final long[] times = new long[MESSAGES];
  private final int[] ends = new int[MESSAGES];
  private ByteBuffer memory = ByteBuffer.allocate(0);
  private int count;
  private int next;

  boolean isEmpty() {
    return next == count;
  }

  void clear() {
    count = 0;
    next = 0;
  }

  @Override
  public boolean onMessage(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    int at = count == 0 ? 0 : ends[count - 1];
    int length = to - from;
    if (count == MESSAGES || (count > 0 && length > memory.capacity() - at)) {
      return false;
    }
    if (length > memory.capacity()) {
      memory = ByteBuffer.allocateDirect(Math.max(BYTES, length));
    }
    memory.put(at, buffer, from, length);
    numbers[count] = number;
    times[count] = epochNanos;
    ends[count] = at + length;
    count++;
    return true;
  }

  // The next message; isEmpty is false.

  long number() {
    return numbers[next];
  }

  long epochNanos() {
    return times[next];
  }

  ByteBuffer memory() {
    return memory;
  }

  int from() {
    return next == 0 ? 0 : ends[next - 1];
  }

  int to() {
    return ends[next];
  }

  /** The next message is done with. */
  void remove() {
    next++;
  }
}
