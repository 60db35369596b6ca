package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.internal.OffsetWindow;
import org.jspecify.annotations.Nullable;

/**
 * How far the work on a partition has come, from its assignment to its end. The loop only, except where a member says
 * otherwise.
 */
final class PartitionWork {
  /** Says whether records may be begun, and whether running attempts are of use. */
  enum State {
    OPEN,
    /** The partition is being revoked: attempts that run may end, and none is begun. */
    CLOSING,
    /** The partition is lost, or the time of its revocation is over: no attempt is of use. */
    CANCELLED
  }

  final TopicPartition id;
  final OffsetWindow window = new OffsetWindow();
  /** Offsets behind the committed one that were done at the assignment. */
  private DoneOffsets doneBefore;
  /** The position of the consumer, which is behind offsets without records, too. */
  long position = OffsetWindow.NONE;
  int epoch = -1;
  /** Number of records that have a slot. */
  int underWay;
  /** Number of records that an asynchronous handler has begun. */
  int begun;
  /** Number of records that are done and wait for their transaction. */
  int held;
  /** Number of records whose copy is under way to the dead letters or to a retry topic. */
  int copying;
  /** Why the partition takes no records now: bits of {@link Holds}. */
  int holds;
  /** When {@link Holds#DUE} ends, on the loop's clock; {@link DueSlots#NEVER} if it ends with a record. */
  long heldUntilNanos;
  /** Number of records of retry topics that had ended when {@link Holds#DUE} began. */
  long heldAt;
  /** The offset that was committed last, or whose commit is under way. */
  long committed = OffsetWindow.NONE;
  /** True if more is done than {@link #committed} says. */
  boolean isDirty;
  /**
   * Number of commits without an outcome. Until it is 0, the coordinator may not have stored {@link #committed}. If the
   * partition went to another member then, that member would read an older offset and commit it again.
   */
  int commitsInFlight;
  /** The offset behind the last record of which this member knows. Used for retry topics only. */
  long knownEnd;
  /** The last of the chain of records of this partition. */
  @Nullable
  Slot<?, ?> last;
  /** Written by the loop, read by workers. */
  private volatile State state = State.OPEN;

  /** The committed offset at the assignment; {@link OffsetWindow#NONE} if there was none. */
  private final long cameAt;

  /** The number of the retry topic; 0 for a main topic. */
  final int stage;

  PartitionWork(TopicPartition id, long cameAt, DoneOffsets doneBefore) {
    this(id, 0, cameAt, doneBefore);
  }

  PartitionWork(TopicPartition id, int stage, long cameAt, DoneOffsets doneBefore) {
    this.id = id;
    this.stage = stage;
    this.cameAt = cameAt;
    this.doneBefore = doneBefore;
  }

  /** Any thread. */
  boolean isOpen() {
    return state == State.OPEN;
  }

  /** Any thread. */
  boolean isCancelled() {
    return state == State.CANCELLED;
  }

  void close() {
    if (state == State.OPEN) {
      state = State.CLOSING;
    }
  }

  void cancel() {
    state = State.CANCELLED;
  }

  /**
   * Returns true if a record was done before the assignment. Called in the order of offsets. If offsets go back, or
   * begin before the committed one, the log was cut off or created again, and other records have these offsets now.
   */
  boolean wasDone(long offset) {
    DoneOffsets before = doneBefore;
    if (before.isEmpty()) {
      return false;
    }
    if (offset > before.last() || offset < cameAt || offset <= window.last()) {
      doneBefore = DoneOffsets.NONE;
      return false;
    }
    return before.contains(offset);
  }

  /** The first offset that may not be done; {@link OffsetWindow#NONE} if it is not known. */
  long from() {
    long offset = committable();
    return offset == OffsetWindow.NONE ? cameAt : offset;
  }

  /** Offsets that were done at the assignment and have not been read yet. Commits go on naming them. */
  DoneOffsets doneBefore() {
    return doneBefore;
  }

  /** All offsets behind {@link #from} that are done. */
  DoneOffsets doneAbove() {
    return DoneOffsets.of(window, doneBefore);
  }

  /** Marks a record as done. */
  void done(long place) {
    isDirty |= window.acknowledgeAt(place);
  }

  /** The offset to be committed; {@link OffsetWindow#NONE} if nothing was done yet. */
  long committable() {
    return window.size() == 0 ? position : window.first();
  }
}
