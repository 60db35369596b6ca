package dev.decant.fix.session;

import dev.decant.fix.store.MessageStore;
import java.nio.ByteBuffer;

/**
 * Copies of stored messages that are sent again next. The store is read under the session's lock, which no application
 * may hold up; from here they are sent without it. A replay takes memory, and {@link #release} leaves it to the garbage
 * collector. Owner of the session only.
 */
final class ReplayBatch implements MessageStore.Replay {
  private static final int MESSAGES = 128;
  private static final int BYTES = 32 * 1024;

  private static final long[] NO_LONGS = {};
  private static final int[] NO_INTS = {};
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

  private long[] numbers = NO_LONGS;
  private long[] times = NO_LONGS;
  private int[] ends = NO_INTS;
  private ByteBuffer memory = NO_MEMORY;
  private int count;
  private int next;

  boolean isEmpty() {
    return next == count;
  }

  void clear() {
    count = 0;
    next = 0;
  }

  /** The replay is over. */
  void release() {
    clear();
    numbers = NO_LONGS;
    times = NO_LONGS;
    ends = NO_INTS;
    memory = NO_MEMORY;
  }

  @Override
  public boolean onMessage(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    int at = count == 0 ? 0 : ends[count - 1];
    int length = to - from;
    if (count == MESSAGES || (count > 0 && length > memory.capacity() - at)) {
      return false;
    }
    if (length > memory.capacity()) {
      memory = ByteBuffer.allocate(Math.max(BYTES, length));
    }
    if (numbers.length == 0) {
      numbers = new long[MESSAGES];
      times = new long[MESSAGES];
      ends = new int[MESSAGES];
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
