package dev.decant.fix.session;

/**
 * A range of messages that were accepted and that the socket was not given. Guarded by the session's lock, if it is the
 * session's own; a copy belongs to its user.
 */
public final class UnsentMessages {
  private long first;
  private long last;
  private long firstOutOfHours;

  UnsentMessages() {}

  /**
   * Tells whether there are none.
   *
   * @return true if so
   */
  public boolean isEmpty() {
    return first == 0;
  }

  /**
   * The number of the first one.
   *
   * @return 0 if there are none
   */
  public long first() {
    return first;
  }

  /**
   * The number of the last one.
   *
   * @return 0 if there are none
   */
  public long last() {
    return last;
  }

  /** The first one that was sent while the window of the schedule was closed; 0 for none. */
  long firstOutOfHours() {
    return firstOutOfHours;
  }

  /** The next number was stored, and does not go to the socket. */
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

  /** Those up to a number are done with. */
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

  /** Those from a number on are not there any more. */
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
