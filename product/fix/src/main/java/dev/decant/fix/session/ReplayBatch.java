package dev.decant.fix.session;

import dev.decant.fix.store.MessageStore;
import java.nio.ByteBuffer;

/**
 * Copies of stored messages that are resent next. The store is read under the session's lock, which no application may
 * delay. The application is asked about the copies without that lock. {@link #release} leaves their memory to the
 * garbage collector. Owner of the session only.
 */
final class ReplayBatch implements MessageStore.Replay {
  private static final int MESSAGES = 128;
  private static final int BYTES = 32 * 1024;

  private static final long[] NO_LONGS = {};
  private static final int[] NO_INTS = {};
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

  /** The number of each message. */
  private long[] numbers = NO_LONGS;
  /** The SendingTime(52) of each message, in nanoseconds since the epoch. */
  private long[] times = NO_LONGS;
  /** Where each message ends in the memory. */
  private int[] ends = NO_INTS;
  /** The bytes of the messages, one after the other. */
  private ByteBuffer memory = NO_MEMORY;
  /** Number of messages in the batch. */
  private int count;
  /** Index of the next message. */
  private int next;

  boolean isEmpty() {
    return next == count;
  }

  void clear() {
    count = 0;
    next = 0;
  }

  /** Releases the memory after a replay. */
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

  // The next message. These methods require that isEmpty is false.

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

  /** Removes the next message. */
  void remove() {
    next++;
  }
}
