package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * The bytes on their way from one end of a connection in memory to the other: a ring that grows to a bound. Each end
 * calls it on the thread that owns its loop. A monitor guards each step, which copies at most the bound.
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
  /** True if the writer has ended. The reader still gets the bytes in the ring. */
  private boolean isEnded;
  /** True if the reader is closed: writes fail. */
  private boolean isBroken;
  /** True while the writer waits for a report of room. */
  private boolean isRoomAwaited;
  /** True if there is room again and the report to the writer is due. */
  private boolean isRoomReportDue;

  MemoryPipe(int capacity) {
    this.capacity = capacity;
  }

  /** Takes as many bytes as there is room for, from several buffers in order. */
  synchronized int write(ByteBuffer[] sources, int offset, int length) throws IOException {
    if (isEnded) {
      throw new ClosedChannelException();
    }
    if (isBroken) {
      throw new IOException("Broken pipe"); // the message of a socket, so tests see the same errors
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

  /** Fills the target as far as bytes are there; returns -1 if there are none and the writer has ended. */
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

  /** Returns true if a read would find bytes or the end. */
  synchronized boolean isReadable() {
    return size > 0 || isEnded;
  }

  /** Returns true if a write would find much room, or fail. */
  synchronized boolean isWritable() {
    return hasRoom();
  }

  private boolean hasRoom() {
    return size <= capacity / 2 || isBroken;
  }

  /** Begins or ends a wait of the writer for room. Returns true if there is room now. */
  synchronized boolean awaitRoom(boolean wanted) {
    isRoomAwaited = wanted;
    return wanted && hasRoom();
  }

  /** Returns true once after reads have made the room that the writer waits for. */
  synchronized boolean takeRoomReport() {
    boolean isDue = isRoomReportDue;
    isRoomReportDue = false;
    return isDue;
  }

  /** Ends the writer's side. The bytes in the ring can still be read. */
  synchronized void end() {
    isEnded = true;
  }

  /** Ends the reader's side. Unread bytes are lost, and writes fail. */
  synchronized void breakOff() {
    isBroken = true;
    bytes = NOTHING;
    head = 0;
    size = 0;
  }
}
