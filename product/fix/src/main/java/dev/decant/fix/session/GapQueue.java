package dev.decant.fix.session;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Messages that have come before their turn, in the order of their numbers, within a bound of memory. A message that
 * does not fit is not kept: the counterparty is asked for it again when its turn has come. Memory grows with what
 * waits, and the garbage collector gets it when the queue is empty, except for a little. It is heap memory: a message
 * that was removed is still being read then. Owner of the session only.
 */
final class GapQueue {
  private static final int FIRST_CAPACITY = 16;
  /** What an empty queue keeps: most gaps are short. */
  private static final int KEPT_BYTES = 4 * 1024;
  private static final int KEPT_ENTRIES = 64;
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

  private final int bytes;
  private ByteBuffer memory = NO_MEMORY;
  private int used;
  /** Ascending, from {@link #head} on. */
  private long[] numbers = new long[FIRST_CAPACITY];
  private int[] offsets = new int[FIRST_CAPACITY];
  private int[] lengths = new int[FIRST_CAPACITY];
  private int head;
  private int tail;

  GapQueue(int bytes) {
    this.bytes = bytes;
  }

  /** Copies a message; false if it does not fit. One that is there already is not kept twice. */
  boolean add(long number, ByteBuffer source, int from, int to) {
    int length = to - from;
    if (length > bytes - used) {
      return false;
    }
    int at = Arrays.binarySearch(numbers, head, tail, number);
    if (at >= 0) {
      return true;
    }
    if (length > memory.capacity() - used) {
      grow(used + length);
    }
    memory.put(used, source, from, length);
    insert(-at - 1, number, used, length);
    used += length;
    return true;
  }

  private void grow(int least) {
    int wanted = (int) Math.min(bytes, Math.max(KEPT_BYTES, Math.max(least, 2L * memory.capacity())));
    memory = ByteBuffer.allocate(wanted).put(0, memory, 0, used);
  }

  private void insert(int index, long number, int offset, int length) {
    int at = index;
    if (tail == numbers.length) {
      at -= makeRoom();
    }
    System.arraycopy(numbers, at, numbers, at + 1, tail - at);
    System.arraycopy(offsets, at, offsets, at + 1, tail - at);
    System.arraycopy(lengths, at, lengths, at + 1, tail - at);
    numbers[at] = number;
    offsets[at] = offset;
    lengths[at] = length;
    tail++;
  }

  /** Returns by how much the entries have moved to the front. */
  private int makeRoom() {
    if (head == 0) {
      numbers = Arrays.copyOf(numbers, numbers.length * 2);
      offsets = Arrays.copyOf(offsets, offsets.length * 2);
      lengths = Arrays.copyOf(lengths, lengths.length * 2);
      return 0;
    }
    int moved = head;
    System.arraycopy(numbers, head, numbers, 0, tail - head);
    System.arraycopy(offsets, head, offsets, 0, tail - head);
    System.arraycopy(lengths, head, lengths, 0, tail - head);
    tail -= head;
    head = 0;
    return moved;
  }

  boolean isEmpty() {
    return head == tail;
  }

  /** The lowest number. */
  long firstNumber() {
    return numbers[head];
  }

  ByteBuffer memory() {
    return memory;
  }

  int firstFrom() {
    return offsets[head];
  }

  int firstTo() {
    return offsets[head] + lengths[head];
  }

  /** Forgets the first message. Its bytes stay as they are until the next {@link #add}. */
  void removeFirst() {
    head++;
    if (head == tail) {
      clear();
    }
  }

  void clear() {
    head = 0;
    tail = 0;
    used = 0;
    if (memory.capacity() > KEPT_BYTES) {
      memory = NO_MEMORY;
    }
    if (numbers.length > KEPT_ENTRIES) {
      numbers = new long[FIRST_CAPACITY];
      offsets = new int[FIRST_CAPACITY];
      lengths = new int[FIRST_CAPACITY];
    }
  }
}
