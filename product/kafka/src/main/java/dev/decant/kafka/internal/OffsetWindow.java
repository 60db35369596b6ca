package dev.decant.kafka.internal;

/**
 * The offsets of one partition, from the first that is not acknowledged on, in a ring. An acknowledged offset is stored
 * as its complement until all before it are acknowledged. Not thread-safe.
 *
 * <p>An offset has a place: the count of offsets that were ever added before. A place never comes again, so a place
 * from before a seek is recognized as old.
 */
public final class OffsetWindow {
  /** The value in the place of an offset: there is none. */
  public static final long NONE = -1;

  private static final int SMALLEST = 64;

  private long[] offsets = new long[SMALLEST];
  /** Counts of offsets that were ever taken out and put in. Modulo the length of the ring, they are its indexes. */
  private long head;
  private long tail;
  private long last = NONE;
  private long committable = NONE;
  private int done;

  /** Makes a window without offsets. */
  public OffsetWindow() {}

  /** Returns the number of offsets from {@link #first} to {@link #last}, acknowledged or not. */
  public int size() {
    return (int) (tail - head);
  }

  /**
   * Returns the offset to commit: the one behind the last offset before which all are acknowledged. {@link #NONE}
   * before there is one.
   */
  public long committable() {
    return committable;
  }

  /** Returns the newest offset; {@link #NONE} before there is one. */
  public long last() {
    return last;
  }

  /** Returns the oldest offset that is not acknowledged; {@link #NONE} if all are. */
  public long first() {
    return head == tail ? NONE : offsets[index(head)];
  }

  /**
   * Adds an offset, and returns its place. An offset that is not above the last one comes after a seek: the window then
   * forgets all others.
   */
  public long add(long offset) {
    if (offset <= last) {
      head = tail;
      committable = NONE;
      done = 0;
    }
    if (size() == offsets.length) {
      growSlowPath();
    }
    offsets[index(tail)] = offset;
    last = offset;
    return tail++;
  }

  private void growSlowPath() {
    long[] larger = new long[offsets.length * 2];
    for (long i = head; i < tail; i++) {
      larger[(int) i & (larger.length - 1)] = offsets[index(i)];
    }
    offsets = larger;
  }

  private int index(long place) {
    return (int) place & (offsets.length - 1);
  }

  private static long plain(long offset) {
    return offset < 0 ? ~offset : offset;
  }

  /** Acknowledges an offset; returns false if it is acknowledged already or not in the window. */
  public boolean acknowledge(long offset) {
    long low = head;
    long high = tail - 1;
    while (low <= high) {
      long middle = (low + high) >>> 1;
      long at = plain(offsets[index(middle)]);
      if (at == offset) {
        return acknowledgeAt(middle);
      }
      if (at < offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return false;
  }

  /**
   * Acknowledges the offset at a place.
   *
   * @param place returned by {@link #add}
   * @return false if it is acknowledged already, or was forgotten
   */
  public boolean acknowledgeAt(long place) {
    if (place < head || place >= tail || offsets[index(place)] < 0) {
      return false;
    }
    offsets[index(place)] = ~offsets[index(place)];
    done++;
    while (head < tail && offsets[index(head)] < 0) {
      committable = plain(offsets[index(head++)]) + 1;
      done--;
    }
    return true;
  }

  /** Takes the offsets that are acknowledged while others before them are not. */
  @FunctionalInterface
  public interface DoneOffsets {
    /**
     * Takes an offset; called in their order.
     *
     * @param offset an acknowledged one
     * @param follows true if the window holds the offset before it as acknowledged, too, so no open record lies between
     *     them
     */
    void take(long offset, boolean follows);
  }

  /** Passes the acknowledged offsets above {@link #first}, in their order. */
  public void forEachDone(DoneOffsets to) {
    int left = done;
    boolean follows = false;
    for (long i = head; left > 0; i++) {
      long at = offsets[index(i)];
      if (at < 0) {
        to.take(plain(at), follows);
        left--;
      }
      follows = at < 0;
    }
  }

  /** Takes the offsets of a window. */
  @FunctionalInterface
  public interface Offsets {
    /**
     * Takes an offset; called in their order.
     *
     * @param place returned by {@link OffsetWindow#add} for it
     * @param offset of a record
     * @param isDone true if it is acknowledged
     */
    void take(long place, long offset, boolean isDone);
  }

  /** Passes all offsets from {@link #first} on. */
  public void forEach(Offsets to) {
    for (long i = head; i < tail; i++) {
      long at = offsets[index(i)];
      to.take(i, plain(at), at < 0);
    }
  }
}
