package dev.decant.kafka.cluster;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one connection that wait for their answer, oldest first: a broker answers in order. A ring of parallel
 * arrays, so that sending allocates nothing.
 */
final class InFlightRequests {
  private int capacity = 16;
  private short[] apiKeys = new short[capacity];
  private short[] versions = new short[capacity];
  private boolean[] flexible = new boolean[capacity];
  private int[] correlationIds = new int[capacity];
  private long[] deadlines = new long[capacity];
  private @Nullable ResponseHandler[] handlers = new ResponseHandler[capacity];
  private int head;
  private int size;

  int size() {
    return size;
  }

  void add(short apiKey, short version, boolean flexibleHeader, int correlationId, long deadlineNanos,
      ResponseHandler handler) {
    if (size == capacity) {
      grow();
    }
    int slot = (head + size++) & (capacity - 1);
    apiKeys[slot] = apiKey;
    versions[slot] = version;
    flexible[slot] = flexibleHeader;
    correlationIds[slot] = correlationId;
    deadlines[slot] = deadlineNanos;
    handlers[slot] = handler;
  }

  short firstApiKey() {
    return apiKeys[head];
  }

  short firstVersion() {
    return versions[head];
  }

  boolean firstIsFlexible() {
    return flexible[head];
  }

  int firstCorrelationId() {
    return correlationIds[head];
  }

  long firstDeadlineNanos() {
    return deadlines[head];
  }

  ResponseHandler removeFirst() {
    ResponseHandler handler = handlers[head];
    handlers[head] = null;
    head = (head + 1) & (capacity - 1);
    size--;
    if (handler == null) {
      throw new IllegalStateException("no request is in flight");
    }
    return handler;
  }

  private void grow() {
    rotate();
    capacity *= 2;
    apiKeys = Arrays.copyOf(apiKeys, capacity);
    versions = Arrays.copyOf(versions, capacity);
    flexible = Arrays.copyOf(flexible, capacity);
    correlationIds = Arrays.copyOf(correlationIds, capacity);
    deadlines = Arrays.copyOf(deadlines, capacity);
    handlers = Arrays.copyOf(handlers, capacity);
  }

  /** Brings the oldest entry to slot 0; rare, so entry by entry. */
  private void rotate() {
    short[] keys = apiKeys.clone();
    short[] vs = versions.clone();
    boolean[] fs = flexible.clone();
    int[] ids = correlationIds.clone();
    long[] ds = deadlines.clone();
    @Nullable
    ResponseHandler[] hs = handlers.clone();
    for (int i = 0; i < size; i++) {
      int from = (head + i) & (capacity - 1);
      apiKeys[i] = keys[from];
      versions[i] = vs[from];
      flexible[i] = fs[from];
      correlationIds[i] = ids[from];
      deadlines[i] = ds[from];
      handlers[i] = hs[from];
    }
    head = 0;
  }
}
