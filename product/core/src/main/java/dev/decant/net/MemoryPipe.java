package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * The bytes on their way from one end of a connection in memory to the other: a ring that grows to a bound. Both ends
 * call it, each on the thread that owns its loop. A monitor guards its steps, each of which is a copy of at most the
 * bound.
 *
 * <pre>
 *   bytes   | free |  on their way  |     free     |
 *           0     head         head + size     bytes.length
 * </pre>
 */
final class MemoryPipe {
  private static final byte[] NOTHING = {};
  private static final int FIRST_BYTES = 4 * 1024;

  private final int capacity;
  private byte[] bytes = NOTHING;
  private int head;
  private int size;
  /** The writer has ended. The reader still gets the bytes that are here. */
  private boolean isEnded;
  /** The reader is closed: nothing can be written. */
  private boolean isBroken;
  /** The writer wants to hear of room. */
  private boolean isRoomAwaited;
  /** There is room again, of which the writer has to hear. */
  private boolean isRoomReportDue;

  MemoryPipe(int capacity) {
    this.capacity = capacity;
  }

  /** Takes as much as there is room for, from several buffers in order. */
  synchronized int write(ByteBuffer[] sources, int offset, int length) throws IOException {
    if (isEnded) {
      throw new ClosedChannelException();
    }
    if (isBroken) {
      throw new IOException("Broken pipe"); // the words of a socket, which errors are made of
    }
    int before = size;
    for (int i = offset; i < offset + length && size < capacity; i++) {
      write(sources[i]);
    }
    return size - before;
  }

  private void write(ByteBuffer source) {
    int left = Math.min(source.remaining(), capacity - size);
    ensureRoom(left);
    while (left > 0) {
      int at = (head + size) % bytes.length;
      int count = Math.min(left, bytes.length - at);
      source.get(bytes, at, count);
      size += count;
      left -= count;
    }
  }

  private void ensureRoom(int added) {
    int needed = size + added;
    if (needed > bytes.length) {
      int length = Math.max(Math.min(FIRST_BYTES, capacity), bytes.length);
      while (length < needed) {
        length = Math.min(2 * length, capacity);
      }
      byte[] larger = new byte[length];
      int first = Math.min(size, bytes.length - head);
      System.arraycopy(bytes, head, larger, 0, first);
      System.arraycopy(bytes, 0, larger, first, size - first);
      bytes = larger;
      head = 0;
    }
  }

  /** Gives as much as the target takes; -1 if there is nothing, and nothing comes any more. */
  synchronized int read(ByteBuffer target) {
    int wanted = Math.min(size, target.remaining());
    if (size == 0 && isEnded && target.hasRemaining()) {
      return -1;
    }
    boolean hadRoom = hasRoom();
    int left = wanted;
    while (left > 0) {
      int count = Math.min(left, bytes.length - head);
      target.put(bytes, head, count);
      head = (head + count) % bytes.length;
      size -= count;
      left -= count;
    }
    isRoomReportDue |= isRoomAwaited && !hadRoom && hasRoom();
    return wanted;
  }

  /** Whether a read would find bytes or the end. */
  synchronized boolean isReadable() {
    return size > 0 || isEnded;
  }

  /** Whether a write would find much room, or fail. */
  synchronized boolean isWritable() {
    return hasRoom();
  }

  private boolean hasRoom() {
    return size <= capacity / 2 || isBroken;
  }

  /** The writer wants to hear when there is room, or no longer. Returns whether there is now. */
  synchronized boolean awaitRoom(boolean wanted) {
    isRoomAwaited = wanted;
    return wanted && hasRoom();
  }

  /** Whether the last reads have made the room that the writer wants to hear of. */
  synchronized boolean takeRoomReport() {
    boolean isDue = isRoomReportDue;
    isRoomReportDue = false;
    return isDue;
  }

  /** The writer ends: what it has written is still read. */
  synchronized void end() {
    isEnded = true;
  }

  /** The reader ends: what it has not read is lost, and writing fails. */
  synchronized void breakOff() {
    isBroken = true;
    bytes = NOTHING;
    head = 0;
    size = 0;
  }
}
