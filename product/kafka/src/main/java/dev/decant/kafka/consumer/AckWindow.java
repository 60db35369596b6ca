package dev.decant.kafka.consumer;

/**
 * Offsets of one partition from the first that is not acknowledged on, in a ring; those that are acknowledged are
 * there as their complement, until all before them are. Its user keeps threads apart.
 */
final class AckWindow {
  private static final int SMALLEST = 64;

  private long[] offsets = new long[SMALLEST];
  /** Counts of offsets that were ever taken out and put in; their places are these modulo the length. */
  private long head;
  private long tail;
  private long last = -1;
  private long committable = -1;

  int size() {
    return (int) (tail - head);
  }

  /** The offset behind the last one before which all are acknowledged; -1 before there is one. */
  long committable() {
    return committable;
  }

  /** The newest offset; -1 before there is one. */
  long last() {
    return last;
  }

  void add(long offset) {
    if (offset <= last) { // sought back
      head = tail;
      committable = -1;
    }
    if (size() == offsets.length) {
      growSlowPath();
    }
    offsets[place(tail++)] = offset;
    last = offset;
  }

  private void growSlowPath() {
    long[] larger = new long[offsets.length * 2];
    for (long i = head; i < tail; i++) {
      larger[(int) i & (larger.length - 1)] = offsets[place(i)];
    }
    offsets = larger;
  }

  private int place(long count) {
    return (int) count & (offsets.length - 1);
  }

  private static long plain(long offset) {
    return offset < 0 ? ~offset : offset;
  }

  boolean acknowledge(long offset) {
    long low = head;
    long high = tail - 1;
    while (low <= high) {
      long middle = (low + high) >>> 1;
      long at = offsets[place(middle)];
      if (plain(at) == offset) {
        if (at >= 0) {
          offsets[place(middle)] = ~at;
          shrink();
        }
        return at >= 0;
      }
      if (plain(at) < offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return false;
  }

  private void shrink() {
    while (head < tail && offsets[place(head)] < 0) {
      committable = plain(offsets[place(head++)]) + 1;
    }
  }
}
