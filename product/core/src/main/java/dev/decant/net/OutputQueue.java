package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Slices of memory that wait to be written, in order, by gathering writes. Owner of the loop only. */
final class OutputQueue {
  /** Takes the place of a slice that is written, so the queue does not keep its memory reachable. */
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private ByteBuffer[] slices = new ByteBuffer[64];
  private int head;
  private int tail;
  private long bytesQueued;
  private long bytesWritten;

  void add(ByteBuffer slice) {
    if (tail == slices.length) {
      makeRoom();
    }
    slices[tail++] = slice;
    bytesQueued += slice.remaining();
  }

  private void makeRoom() {
    int pending = tail - head;
    if (pending > slices.length / 2) {
      slices = Arrays.copyOfRange(slices, head, head + slices.length * 2);
    } else {
      System.arraycopy(slices, head, slices, 0, pending);
    }
    Arrays.fill(slices, pending, slices.length, NOTHING);
    head = 0;
    tail = pending;
  }

  /** Writes as much as the transport takes now; returns true if nothing is left. */
  boolean writeTo(Transport transport) throws IOException {
    int most = transport.maxGathered();
    while (head < tail) {
      long written = transport.write(slices, head, Math.min(most, tail - head));
      bytesWritten += written;
      int before = head;
      while (head < tail && !slices[head].hasRemaining()) {
        slices[head++] = NOTHING;
      }
      if (written == 0 && head == before) {
        return false;
      }
    }
    head = 0;
    tail = 0;
    return true;
  }

  /** Drops all slices that are not written. */
  void clear() {
    Arrays.fill(slices, head, tail, NOTHING);
    head = tail;
  }

  long bytesQueued() {
    return bytesQueued;
  }

  long bytesWritten() {
    return bytesWritten;
  }
}
