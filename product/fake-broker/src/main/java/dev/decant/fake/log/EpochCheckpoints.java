package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.List;

/** The start offset of each leader epoch of a partition (KIP-101). */
final class EpochCheckpoints {
  /** In the order of epochs and offsets. */
  private final List<Checkpoint> checkpoints = new ArrayList<>();

  private record Checkpoint(int epoch, long startOffset) {}

  /** Takes over the checkpoints of another log. */
  void copy(EpochCheckpoints other) {
    checkpoints.addAll(other.checkpoints);
  }

  /**
   * Records the start of an epoch, unless it has started already. Replaces the start of an epoch that has no record
   * yet.
   */
  void begin(int epoch, long startOffset) {
    if (!checkpoints.isEmpty() && checkpoints.getLast().epoch() >= epoch) {
      return;
    }
    checkpoints.removeIf(c -> c.startOffset() >= startOffset);
    checkpoints.add(new Checkpoint(epoch, startOffset));
  }

  void truncateEnd(long offset) {
    checkpoints.removeIf(c -> c.startOffset() >= offset);
  }

  /** Removes the epochs of deleted records; the epoch of the first remaining record starts with it. */
  void truncateStart(long offset) {
    Checkpoint atStart = null;
    for (Checkpoint c : checkpoints) {
      if (c.startOffset() <= offset) {
        atStart = c;
      }
    }
    if (atStart != null) {
      int epoch = atStart.epoch();
      checkpoints.removeIf(c -> c.startOffset() <= offset);
      checkpoints.addFirst(new Checkpoint(epoch, offset));
    }
  }

  /** Returns the epoch of the record at an offset, -1 if it is not known. */
  int epochAt(long offset) {
    int epoch = EpochEnd.UNKNOWN_EPOCH;
    for (Checkpoint c : checkpoints) {
      if (c.startOffset() > offset) {
        break;
      }
      epoch = c.epoch();
    }
    return epoch;
  }

  /** Returns the end of an epoch: the largest known epoch up to it, and the offset at which the next one starts. */
  EpochEnd endOf(int epoch, long logEnd) {
    if (checkpoints.isEmpty() || epoch < 0) {
      return EpochEnd.UNKNOWN;
    }
    if (checkpoints.getLast().epoch() == epoch) {
      return new EpochEnd(epoch, logEnd);
    }
    int floor = epoch;
    for (Checkpoint c : checkpoints) {
      if (c.epoch() > epoch) {
        return new EpochEnd(floor, c.startOffset());
      }
      floor = c.epoch();
    }
    return EpochEnd.UNKNOWN;
  }
}
