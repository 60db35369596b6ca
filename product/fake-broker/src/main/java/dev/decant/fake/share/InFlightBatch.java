package dev.decant.fake.share;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records that were delivered together. They share one delivery until some of them are treated differently; then the
 * batch is split, and each record has its own delivery.
 */
final class InFlightBatch {
  private final long first;
  private final long last;
  private final Delivery whole;
  /** The delivery of each record; null before the split. */
  private Delivery @Nullable [] each;

  InFlightBatch(long first, long last, Delivery whole) {
    this.first = first;
    this.last = last;
    this.whole = whole;
  }

  long first() {
    return first;
  }

  /** Returns the offset of the last record. */
  long last() {
    return last;
  }

  long size() {
    return last - first + 1;
  }

  boolean isSplit() {
    return each != null;
  }

  /** Returns the delivery of all records. Valid before the split. */
  Delivery whole() {
    if (isSplit()) {
      throw new IllegalStateException("the records of " + this + " have deliveries of their own");
    }
    return whole;
  }

  /** Gives each record its own delivery. */
  void split() {
    if (each == null) {
      each = new Delivery[Math.toIntExact(size())];
      for (int i = 0; i < each.length; i++) {
        each[i] = whole.copy();
      }
    }
  }

  /** Returns the delivery of a record, which other records may share. */
  Delivery at(long offset) {
    Delivery[] now = each;
    return now == null ? whole : now[(int) (offset - first)];
  }

  boolean isWithin(long from, long to) {
    return first >= from && last <= to;
  }

  /** Returns true if the batch begins before an offset and reaches to it. */
  boolean isCutBy(long offset) {
    return first < offset && last >= offset;
  }

  /** Returns the first available record, -1 if there is none. */
  long firstAvailable() {
    if (!isSplit()) {
      return whole.isAvailable() ? first : -1;
    }
    for (long offset = first; offset <= last; offset++) {
      if (at(offset).isAvailable()) {
        return offset;
      }
    }
    return -1;
  }

  /** Returns the largest number of deliveries of the available records in a range. */
  int largestCount(long from, long to) {
    if (!isSplit()) {
      return whole.isAvailable() ? whole.count() : 0;
    }
    int largest = 0;
    for (long offset = Math.max(first, from); offset <= Math.min(last, to); offset++) {
      if (at(offset).isAvailable()) {
        largest = Math.max(largest, at(offset).count());
      }
    }
    return largest;
  }

  /** Calls the consumer for each run of records with the same delivery. */
  void forEachRun(Consumer<InFlightBatch> run) {
    long from = first;
    while (from <= last) {
      long to = isSplit() ? from : last;
      while (to < last && at(to + 1).isSame(at(from))) {
        to++;
      }
      run.accept(new InFlightBatch(from, to, at(from)));
      from = to + 1;
    }
  }

  @Override
  public String toString() {
    return first + ".." + last + (isSplit() ? " split" : " " + whole);
  }
}
