package dev.decant.fix.session;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Messages that arrived before their turn, in the order of their numbers, within a memory limit. A message that does
 * not fit is dropped, and requested again when its turn comes. The memory grows with the messages that wait. An empty
 * queue leaves it to the garbage collector, except for a little. It is heap memory, because a message is read after its
 * removal. Owner of the session only.
 */
final class GapQueue {
  private static final int FIRST_CAPACITY = 16;
  /** The memory that an empty queue keeps: enough for most gaps, which are short. */
  private static final int KEPT_BYTES = 4 * 1024;
  private static final int KEPT_ENTRIES = 64;
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

  private final int bytes;
  /** The bytes of the messages, one after the other. */
  private ByteBuffer memory = NO_MEMORY;
  /** How many bytes of the memory are in use. */
  private int used;
  /** Sequence numbers, ascending from {@link #head} on. */
  private long[] numbers = new long[FIRST_CAPACITY];
  /** Where each message begins in the memory. */
  private int[] offsets = new int[FIRST_CAPACITY];
  private int[] lengths = new int[FIRST_CAPACITY];
  /** Index of the first entry. */
  private int head;
  /** Index after the last entry. */
  private int tail;

  GapQueue(int bytes) {
    this.bytes = bytes;
  }

  /** Copies a message into the queue. Returns false if it does not fit; a number that is present is not added twice. */
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

  /** Moves the entries to the front. Returns by how many places they have moved. */
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

  /** Returns the lowest number in the queue. */
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

  /** Removes the first message. Its bytes stay unchanged until the next {@link #add}. */
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
