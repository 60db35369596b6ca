package dev.decant.fix.session;

/**
 * The range of messages that were accepted and never reached a socket. The session's own range is guarded by its lock;
 * a copy belongs to its caller.
 */
public final class UnsentMessages {
  /** The first number; 0 if there are none. */
  private long first;
  /** The last number; 0 if there are none. */
  private long last;
  /** The first number that was sent while the window was closed; 0 if there is none. */
  private long firstOutOfHours;

  UnsentMessages() {}

  /** Returns true if there are none. */
  public boolean isEmpty() {
    return first == 0;
  }

  /** Returns the first number; 0 if there are none. */
  public long first() {
    return first;
  }

  /** Returns the last number; 0 if there are none. */
  public long last() {
    return last;
  }

  /** Returns the first number that was sent while the window of the schedule was closed; 0 if there is none. */
  long firstOutOfHours() {
    return firstOutOfHours;
  }

  /** Adds the next number, which was stored and does not go to the socket. */
  void stored(long number, boolean isOutOfHours) {
    first = first == 0 ? number : first;
    last = number;
    if (isOutOfHours && firstOutOfHours == 0) {
      firstOutOfHours = number;
    }
  }

  void addRange(long from, long to) {
    if (from <= to) {
      first = first == 0 ? from : Math.min(first, from);
      last = Math.max(last, to);
    }
  }

  /** Removes the numbers up to this one, which were sent or skipped. */
  void sentUpTo(long number) {
    if (first == 0 || number < first) {
      return;
    }
    if (number >= last) {
      clear();
      return;
    }
    first = number + 1;
    firstOutOfHours = firstOutOfHours == 0 ? 0 : Math.max(firstOutOfHours, first);
  }

  /** Removes the numbers from this one on, which the store has dropped. */
  void endBefore(long number) {
    firstOutOfHours = 0;
    last = number - 1;
    if (last < first) {
      clear();
    }
  }

  void clear() {
    first = 0;
    last = 0;
    firstOutOfHours = 0;
  }

  void set(UnsentMessages other) {
    first = other.first;
    last = other.last;
    firstOutOfHours = other.firstOutOfHours;
  }
}
