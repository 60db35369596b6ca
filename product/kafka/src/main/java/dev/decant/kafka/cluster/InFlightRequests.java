package dev.decant.kafka.cluster;

import org.jspecify.annotations.Nullable;

/**
 * Requests of one connection that wait for their response, oldest first: a broker responds in order. The entries of the
 * ring are reused, so sending allocates nothing. Owner of the loop only.
 */
final class InFlightRequests {
  /** One request; valid until it is removed and another takes its place. */
  static final class Entry {
    short version;
    int correlationId;
    long queuedNanos;
    long deadlineNanos;
    /** Number of bytes after which the connection has written all of the request. */
    long writtenMark;
    @Nullable
    Call call;
  }

  private Entry[] ring = newRing(16);
  private int head;
  private int size;

  private static Entry[] newRing(int capacity) {
    Entry[] ring = new Entry[capacity];
    for (int i = 0; i < capacity; i++) {
      ring[i] = new Entry();
    }
    return ring;
  }

  int size() {
    return size;
  }

  /** Adds a request; the caller fills all its fields. */
  Entry add() {
    if (size == ring.length) {
      grow();
    }
    return ring[(head + size++) & (ring.length - 1)];
  }

  /** Returns the oldest request; there must be one. */
  Entry first() {
    return ring[head];
  }

  /** Removes the oldest request; there must be one. */
  Call removeFirst() {
    Entry first = ring[head];
    Call call = first.call;
    if (size == 0 || call == null) {
      throw new IllegalStateException("no request is in flight");
    }
    first.call = null;
    head = (head + 1) & (ring.length - 1);
    size--;
    call.over();
    return call;
  }

  private void grow() {
    Entry[] larger = newRing(ring.length * 2);
    for (int i = 0; i < size; i++) {
      larger[i] = ring[(head + i) & (ring.length - 1)];
    }
    ring = larger;
    head = 0;
  }
}
