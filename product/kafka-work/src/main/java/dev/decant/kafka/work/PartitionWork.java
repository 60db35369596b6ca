package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.internal.OffsetWindow;
import org.jspecify.annotations.Nullable;

/**
 * How far the work on a partition has come, from its assignment to its end. The loop, except where it says otherwise.
 */
final class PartitionWork {
  /** Whether records may be begun, and whether those that run are of use. */
  enum State {
    OPEN,
    /** Given up: what runs may end, and nothing is begun. */
    CLOSING,
    /** Lost, or its time is over: nothing is of use. */
    CANCELLED
  }

  final TopicPartition id;
  final OffsetWindow window = new OffsetWindow();
  /** Offsets behind the committed one that were done at the assignment. */
  private DoneOffsets doneBefore;
  /** The position of the consumer: behind records that were passed over, too. */
  long position = OffsetWindow.NONE;
  int epoch = -1;
  /** Records that have a slot. */
  int underWay;
  /** Records that an asynchronous handler has begun. */
  int begun;
  /** Records that are done and wait for their transaction. */
  int held;
  /** Records whose copy is on its way to the dead letters or to a retry topic. */
  int copying;
  /** Why it takes no records now: bits of {@link Holds}. */
  int holds;
  /** When {@link Holds#DUE} ends, on the loop's clock; {@link DueSlots#NEVER} if it ends with a record. */
  long heldUntilNanos;
  /** How many records of retry topics had ended when that began. */
  long heldAt;
  /** What a commit has stored, or is about to. */
  long committed = OffsetWindow.NONE;
  /** Whether more is done than that. */
  boolean isDirty;
  /**
   * Commits that were sent and have no outcome. While there is one, the coordinator may not have stored {@link
   * #committed}: a partition that went elsewhere then would be read from an older offset, and that be committed again.
   */
  int commitsInFlight;
  /** Of a retry topic: the offset behind the last record of which this member knows. */
  long knownEnd;
  /** The last of the chain of records of this partition. */
  @Nullable
  Slot<?, ?> last;
  /** Read by workers. */
  private volatile State state = State.OPEN;

  /** The offset that was committed when the partition came; {@link OffsetWindow#NONE} if none was. */
  private final long cameAt;

  /** The number of its retry topic; 0 for a main topic. */
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
   * Whether a record was done before the partition came. Asked in the order of offsets. If they go back, or begin
   * before what was committed, the log was cut off or made anew: other records have these offsets now.
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

  /** The first offset that may have to be done; {@link OffsetWindow#NONE} if that is not known. */
  long from() {
    long offset = committable();
    return offset == OffsetWindow.NONE ? cameAt : offset;
  }

  /** Offsets that were done at the assignment and have not come yet: commits go on naming them. */
  DoneOffsets doneBefore() {
    return doneBefore;
  }

  /** All offsets behind {@link #from} that are done. */
  DoneOffsets doneAbove() {
    return DoneOffsets.of(window, doneBefore);
  }

  /** A record is done. */
  void done(long place) {
    isDirty |= window.acknowledgeAt(place);
  }

  /** The offset to be committed; {@link OffsetWindow#NONE} if nothing was done yet. */
  long committable() {
    return window.size() == 0 ? position : window.first();
  }
}
