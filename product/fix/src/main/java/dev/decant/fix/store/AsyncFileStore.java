package dev.decant.fix.store;

import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.record.SequenceNumbers;
import dev.decant.fix.segment.Force;
import dev.decant.fix.segment.SegmentHeader;
import dev.decant.fix.segment.SegmentLog;
import dev.decant.fix.status.StoreStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to a ring, from which the thread of a {@link RingWriter} moves them to the segments.
 *
 * <p>The thread with the lock uses the segments. That is the writer while it moves and forces, and the session's thread
 * while it replays, closes, or makes room in a full ring. No thread waits for the lock without a limit.
 */
final class AsyncFileStore extends NumberedStore {
  /** The result of one turn of the writer. */
  enum Work {
    NOTHING, MOVED, STALLED
  }

  private static final int BATCH_BYTES = 64 * 1024;
  private static final long LOCK_PAUSE_NANOS = 50_000;

  private final SegmentLog log;
  private final RecordRing ring;
  private final RingWriter writer;
  private final ReplayHandler handler = new ReplayHandler();
  private final Force force;
  private final int maxRecordBytes;
  private final long waitNanos;
  private final long forceWaitNanos;
  private final ReentrantLock lock = new ReentrantLock();
  /** True after the files were freed. Guarded by the lock. */
  private boolean isFreed;
  /** Number of replays that read the ring. Meanwhile, no record of it may be moved. Guarded by the lock. */
  private int ringReplays;

  /** Why the segments refuse records; null if they do not. Set by the thread with the lock, read by any thread. */
  private volatile @Nullable IOException moveFailure;
  /** The position up to which records must be forced. Set by the session's thread. */
  private volatile long forceWanted;
  /** All records before this position are forced. Set by the thread with the lock. */
  private volatile long forcedTo;
  /** Why the force has failed. Set by the writer; the session's thread sets null when it requests another force. */
  private volatile @Nullable IOException forceFailure;
  /** The thread that waits for a force. Set by that thread, read by the writer. */
  private volatile @Nullable Thread forceWaiter;

  AsyncFileStore(SegmentLog log, RecordRing ring, AsyncFileStores settings, RingWriter writer) {
    super(new SequenceNumbers(log.numbers()), settings.files.keepInbound);
    this.log = log;
    this.ring = ring;
    this.writer = writer;
    force = settings.files.segments.force();
    maxRecordBytes = Math.min(settings.files.segments.bytes() - SegmentHeader.BYTES,
        RecordRing.maxRecordBytes(settings.ringBytes));
    waitNanos = settings.waitNanos;
    forceWaitNanos = settings.forceWaitNanos;
  }

  @Override
  public StoreStatus status() {
    return new StoreStatus("async-file", EpochNanos.instant(createdEpochNanos()), isClosed ? 0 : ring.waitingBytes(),
        ring.capacity());
  }

  @Override
  boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
    requireOpen();
    numbers.require(kind, number);
    if (to - from > maxRecordBytes - RecordMemory.HEADER_BYTES) {
      throw new IllegalArgumentException("a message has " + (to - from) + " bytes; FileStores.Builder.segmentBytes"
          + " and AsyncFileStores.Builder.ringBytes take " + (maxRecordBytes - RecordMemory.HEADER_BYTES));
    }
    if (!ring.append(kind, number, epochNanos, body, from, to)
        && !appendSlowPath(kind, number, epochNanos, body, from, to)) {
      return false;
    }
    failure = null;
    numbers.apply(kind, number, epochNanos);
    writer.onAppend(this);
    return true;
  }

  /** Appends to a full ring: this thread moves records to the segments to make room. */
  private boolean appendSlowPath(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
    long deadline = System.nanoTime() + waitNanos;
    boolean isRefused = false;
    while (!isRefused) {
      makeRoom(deadline);
      if (ring.append(kind, number, epochNanos, body, from, to)) {
        return true;
      }
      isRefused = moveFailure != null || ringReplays > 0 || deadline - System.nanoTime() <= 0;
    }
    IOException reason = moveFailure;
    failure = reason != null ? reason : new IOException("the ring of the store is full; the disk is slow");
    return false;
  }

  private void makeRoom(long deadline) {
    if (!lockUntil(deadline)) {
      return;
    }
    try {
      if (ringReplays == 0 && !moveRecords(ring.tail()) && moveFailure == null) {
        log.awaitSegment(deadline - System.nanoTime());
      }
    } finally {
      unlock();
    }
  }

  /**
   * Acquires the lock before the deadline. It has no queue of waiting threads: the queue of a ReentrantLock allocates.
   */
  private boolean lockUntil(long deadline) {
    while (!lock.tryLock()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      LockSupport.parkNanos(this, Math.min(left, LOCK_PAUSE_NANOS));
    }
    return true;
  }

  /** Releases the lock. If the store was closed while this thread, such as the writer, had it, frees the files. */
  private void unlock() {
    try {
      if (isClosed && !isFreed && lock.getHoldCount() == 1) {
        failure = free();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Moves the records before this position to the segments. Requires the lock. */
  private boolean moveRecords(long end) {
    while (ring.head() < end) {
      if (!ring.moveTo(log, BATCH_BYTES)) {
        moveFailure = log.failure();
        return false;
      }
    }
    moveFailure = null;
    return true;
  }

  /** Moves and forces all waiting records. Writer only. */
  Work move() {
    if (!lock.tryLock()) {
      return Work.STALLED;
    }
    try {
      return isFreed || ringReplays > 0 ? Work.NOTHING : moveAndForce();
    } catch (RuntimeException | Error e) {
      IOException reason = new IOException("the writer of the store has failed: " + e, e);
      moveFailure = reason;
      failForce(reason);
      return Work.STALLED;
    } finally {
      unlock();
    }
  }

  private Work moveAndForce() {
    long head = ring.head();
    long end = ring.tailVolatile();
    if (!moveRecords(end)) {
      IOException reason = moveFailure;
      if (reason != null && isForceWanted()) {
        failForce(reason);
      }
      return Work.STALLED;
    }
    if (isForceWanted()) {
      if (log.force()) {
        forcedTo = end;
        LockSupport.unpark(forceWaiter);
      } else {
        failForce(log.refusal());
      }
    }
    return end > head ? Work.MOVED : Work.NOTHING;
  }

  private void failForce(IOException reason) {
    forceFailure = reason;
    LockSupport.unpark(forceWaiter);
  }

  private boolean isForceWanted() {
    return forceWanted > forcedTo && forceFailure == null;
  }

  /** Returns true if the writer must work at once. Writer only. */
  boolean isUrgent() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return !isFreed && (isForceWanted() || ring.isUrgent());
    } finally {
      unlock();
    }
  }

  /** Returns true if the writer has nothing to do. Writer only. */
  boolean isMoved() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return isFreed || ring.isEmpty();
    } finally {
      unlock();
    }
  }

  /** Returns true if the last append made the ring so full that the writer must work at once. Session's thread only. */
  boolean becameUrgent() {
    return ring.becameUrgent();
  }

  @Override
  public boolean commit() {
    requireOpen();
    failure = switch (force) {
      case NEVER -> null;
      case AT_INTERVALS -> moveFailure != null ? moveFailure : log.forceFailure();
      case EVERY_MESSAGE -> awaitForce(ring.tail());
    };
    return failure == null;
  }

  @Override
  public boolean needsCommit() {
    return force != Force.NEVER;
  }

  /** Waits until the writer has forced the records before this position. Returns the failure, or null. */
  private @Nullable IOException awaitForce(long position) {
    if (forcedTo >= position) {
      return null;
    }
    if (lock.isHeldByCurrentThread()) {
      return forceHere(position);
    }
    forceWaiter = Thread.currentThread();
    forceFailure = null;
    forceWanted = position;
    writer.wake();
    long deadline = System.nanoTime() + forceWaitNanos;
    while (forcedTo < position) {
      IOException reason = forceFailure;
      if (reason != null) {
        return reason;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return new IOException("the disk has not taken a force in time; see AsyncFileStores.Builder.maxForceWait");
      }
      LockSupport.parkNanos(this, left);
    }
    return null;
  }

  /** Forces on this thread, because a replay handler commits: the writer cannot get the lock meanwhile. */
  private @Nullable IOException forceHere(long position) {
    if (ringReplays > 0 || !moveRecords(position) || !log.force()) {
      IOException reason = moveFailure;
      return reason != null ? reason : log.refusal();
    }
    forcedTo = position;
    return null;
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    boolean isInSegments = beginReplay();
    Replay outer = handler.begin(replay);
    try {
      if (isInSegments) {
        log.replayOutbound(fromNumber, toNumber, handler);
        return;
      }
      ringReplays++;
      long setBack = ring.lowestSetBack(log.numbers().nextOutbound());
      if (log.replayOutbound(fromNumber, Math.min(toNumber, setBack - 1), handler)) {
        ring.replayOutbound(fromNumber, toNumber, replay);
      }
    } finally {
      handler.end(outer);
      endReplay(isInSegments);
    }
  }

  @Override
  public void replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    requireInbound();
    boolean isInSegments = beginReplay();
    Replay outer = handler.begin(replay);
    try {
      if (isInSegments) {
        log.replayInbound(fromNumber, toNumber, handler);
        return;
      }
      ringReplays++;
      if (ring.lastReset() >= 0 || log.replayInbound(fromNumber, toNumber, handler)) {
        ring.replayInbound(fromNumber, toNumber, replay);
      }
    } finally {
      handler.end(outer);
      endReplay(isInSegments);
    }
  }

  /**
   * Acquires the lock and moves as many records as possible. Returns true if all are in the segments. Otherwise the
   * caller increments {@link #ringReplays} until the end of the replay.
   */
  private boolean beginReplay() throws IOException {
    requireOpen();
    if (!lockUntil(System.nanoTime() + forceWaitNanos)) {
      throw new IOException("the writer of the store does not return from the disk");
    }
    return ringReplays == 0 && moveRecords(ring.tail());
  }

  private void endReplay(boolean isInSegments) {
    if (!isInSegments) {
      ringReplays--;
    }
    unlock();
  }

  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    writer.remove(this);
    if (lockUntil(System.nanoTime() + forceWaitNanos)) {
      unlock();
    } else {
      failure = new IOException(
          "the writer of the store does not return from the disk; it frees the files when it does");
    }
  }

  /**
   * Moves the rest and frees the files. Requires the lock. Records that cannot be moved stay in the ring for the next
   * opening.
   */
  private @Nullable IOException free() {
    isFreed = true;
    long deadline = System.nanoTime() + forceWaitNanos;
    boolean isMoved = moveRecords(ring.tail());
    while (!isMoved && moveFailure == null && log.awaitSegment(deadline - System.nanoTime())) {
      isMoved = moveRecords(ring.tail());
    }
    IOException unmoved = isMoved ? null : log.refusal();
    IOException unforced = log.close();
    ring.close();
    return unmoved != null ? unmoved : unforced;
  }
}
