package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.List;

/** At which offset each leader epoch of a partition has begun (KIP-101). */
final class EpochCheckpoints {
  /** In the order of both. */
  private final List<Checkpoint> checkpoints = new ArrayList<>();

  private record Checkpoint(int epoch, long startOffset) {}

  /** Has what another log has. */
  void copy(EpochCheckpoints other) {
    checkpoints.addAll(other.checkpoints);
  }

  /** Notes that an epoch begins, unless it has begun already. One that has no record yet makes room for the next. */
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

  /** Forgets the epochs of deleted records; the one that the first record belongs to begins with it. */
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

  /** The epoch of the record at an offset, -1 if it is not known. */
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

  /**
   * Where an epoch has ended: the largest epoch up to the one that is asked for, and the offset at which the next one
   * has begun.
   */
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
