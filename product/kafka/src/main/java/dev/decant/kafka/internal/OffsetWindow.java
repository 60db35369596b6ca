package dev.decant.kafka.internal;

/**
 * Offsets of one partition from the first that is not done on, in a ring; those that are done are there as their
 * complement, until all before them are. Its user keeps threads apart.
 *
 * <p>An offset is found by its place: a count of the offsets that were ever added. A place never comes again, so one
 * that was taken before the partition was sought in is known to be old.
 */
public final class OffsetWindow {
  /** The offset that no partition has. */
  public static final long NONE = -1;

  private static final int SMALLEST = 64;

  private long[] offsets = new long[SMALLEST];
  /** Counts of offsets that were ever taken out and put in; their indexes are these modulo the length. */
  private long head;
  private long tail;
  private long last = NONE;
  private long committable = NONE;
  private int done;

  /** Makes a window without offsets. */
  public OffsetWindow() {}

  /**
   * How many offsets there are.
   *
   * @return those that are not done, and those behind them
   */
  public int size() {
    return (int) (tail - head);
  }

  /**
   * How many are not done.
   *
   * @return at most {@link #size}
   */
  public int outstanding() {
    return size() - done;
  }

  /**
   * What may be committed.
   *
   * @return the offset behind the last one before which all are done; {@link #NONE} before there is one
   */
  public long committable() {
    return committable;
  }

  /**
   * The newest offset.
   *
   * @return {@link #NONE} before there is one
   */
  public long last() {
    return last;
  }

  /**
   * The oldest offset that is not done.
   *
   * @return {@link #NONE} if all are
   */
  public long first() {
    return head == tail ? NONE : offsets[index(head)];
  }

  /**
   * Adds an offset. One that is not behind the last says that the partition was sought in: all before are forgotten.
   *
   * @param offset of a record
   * @return its place
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

  /**
   * An offset is done.
   *
   * @param offset it
   * @return false if it is done already or not here
   */
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
   * The offset at a place is done.
   *
   * @param place what {@link #add} has returned
   * @return false if it is done already, or was forgotten
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

  /** Takes the offsets that are done though others before them are not. */
  @FunctionalInterface
  public interface DoneOffsets {
    /**
     * Called in their order.
     *
     * @param offset one that is done
     * @param follows whether the one before it in the window was handed out, too: no record between them is not done
     */
    void take(long offset, boolean follows);
  }

  /**
   * Hands out what is done above {@link #first}.
   *
   * @param to takes each offset
   */
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
     * Called in their order.
     *
     * @param place what {@link OffsetWindow#add} has returned for it
     * @param offset of a record
     * @param isDone whether it is done
     */
    void take(long place, long offset, boolean isDone);
  }

  /**
   * Hands out all offsets from {@link #first} on.
   *
   * @param to takes each offset
   */
  public void forEach(Offsets to) {
    for (long i = head; i < tail; i++) {
      long at = offsets[index(i)];
      to.take(i, plain(at), at < 0);
    }
  }
}
