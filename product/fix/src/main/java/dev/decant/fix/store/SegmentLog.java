package dev.decant.fix.store;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.FileStores.Force;
import dev.decant.fix.store.MessageStore.Replay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/**
 * The records of one session, appended to segments. One thread at a time appends and reads. Beside it, the keeper's
 * thread makes and deletes segments, and forces them if that is done at intervals.
 */
final class SegmentLog {
  private static final long RETRY_NANOS = 100_000_000;

  private final SessionFolder folder;
  private final SegmentFiles files;
  private final FileStores settings;
  private final SegmentKeeper keeper;
  private final SegmentList list;
  private final boolean forcesAtIntervals;
  private Segment current;
  private int replays;
  /** Why the last append or force was refused; null if the reason is that the next segment is not ready. */
  private @Nullable IOException failure;
  private boolean isClosed;

  /** The thread that waits for the keeper: one at a time, which appends or closes. Set by it, read by the keeper. */
  volatile @Nullable Thread keeperWaiter;
  /** The next segment; set by the keeper if it is null, made null by the thread that appends. */
  private volatile @Nullable Segment prepared;
  /** Why there is none; of the keeper. */
  private volatile @Nullable IOException prepareFailure;
  /** Ordinal of the next segment; changed before {@link #prepared} becomes null. */
  private long nextOrdinal;
  /** When the keeper tries again to make a segment; of the keeper. */
  private long retryNanos;
  /** The first of the segments to be deleted, oldest first; guarded by the keeper. */
  private @Nullable Segment firstRetired;
  /** The last of them. */
  private @Nullable Segment lastRetired;

  /**
   * The first segment with bytes that are not forced. Of the keeper if it forces at intervals, of the thread that
   * appends if each message is forced.
   */
  private Segment firstUnforced;
  /** Something was appended since the keeper has begun to force; set by the thread that appends, cleared before. */
  private volatile boolean isForceWanted;
  /** When the keeper forces, if it has seen that; of the keeper. */
  private long forceAtNanos;
  private boolean isForceDue;
  /** Why the last force at an interval failed; null if it did not. */
  private volatile @Nullable IOException forceFailure;

  private SegmentLog(SessionFolder folder, SegmentFiles files, SegmentList list, FileStores settings,
      SegmentKeeper keeper) {
    this.folder = folder;
    this.files = files;
    this.list = list;
    this.settings = settings;
    this.keeper = keeper;
    forcesAtIntervals = settings.force == Force.AT_INTERVALS;
    current = list.last();
    nextOrdinal = current.ordinal + 1;
    firstUnforced = list.get(0);
  }

  /** Opens the log of a session, or makes it. */
  static SegmentLog open(SessionId session, FileStores settings, SegmentKeeper keeper, long epochNanos)
      throws IOException {
    return open(SessionFolder.open(settings.folder, session), "session " + session, settings, keeper, epochNanos);
  }

  /** As above, with the folder locked; it is closed with the log, or now if that cannot be opened. */
  static SegmentLog open(SessionFolder folder, String what, FileStores settings, SegmentKeeper keeper, long epochNanos)
      throws IOException {
    boolean isOpen = false;
    try {
      SegmentFiles files = new SegmentFiles(folder, settings);
      SegmentList list = SegmentRecovery.recover(files, settings.recoverPrefix);
      if (list.count() == 0) {
        list.add(files.createFirst(settings.segmentBytes, new SequenceNumbers(epochNanos)));
      }
      SegmentLog log = new SegmentLog(folder, files, list, settings, keeper);
      log.retire();
      keeper.add(log);
      isOpen = true;
      log.takeRing();
      return log;
    } catch (IOException e) {
      throw new IOException("cannot open the store of " + what + ": " + e.getMessage(), e);
    } finally {
      if (!isOpen) {
        folder.close();
      }
    }
  }

  /** Appends what the ring of an asynchronous store has kept, if its process has left one. */
  private void takeRing() throws IOException {
    boolean isTaken = false;
    try {
      RingFile.recover(files, this, settings);
      isTaken = true;
    } finally {
      if (!isTaken) {
        close();
      }
    }
  }

  /** Makes the ring of an asynchronous store. */
  RecordRing createRing(int bytes) throws IOException {
    return RingFile.create(files, bytes, nextRecord());
  }

  SequenceNumbers numbers() {
    return list.numbers;
  }

  /** Bytes of the files that hold records, and the headers before them; for the thread that appends. */
  long usedBytes() {
    return list.bytes() - current.bytes() + current.end();
  }

  /** Bytes of all files that records have been written to; for the thread that appends. */
  long fileBytes() {
    return list.bytes();
  }

  /** The ordinal that the next record gets. */
  long nextRecord() {
    return list.nextRecord();
  }

  /**
   * Appends a record. The caller has checked that its number can follow.
   *
   * @return false if it cannot be appended now; see {@link #failure} and {@link #refusal}
   */
  boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
    Segment segment = current;
    int bytes = RecordMemory.alignedBytes(to - from);
    if (kind == RecordKind.RESET || !segment.hasRoom(bytes)) {
      if (!makeRoom(bytes)) {
        return false;
      }
      segment = current;
    }
    int at = segment.end();
    segment.records.header(at, kind, list.nextRecord(), number, epochNanos);
    segment.records.seal(at, body, from, to);
    list.apply(at, kind, number, epochNanos);
    if (forcesAtIntervals) {
      segment.endVolatile(at + bytes);
      wantForce();
    } else {
      segment.end(at + bytes);
    }
    if (kind == RecordKind.RESET) {
      retire();
    }
    return true;
  }

  /** Has the keeper force within an interval. It clears the flag before it forces, and then sees what was appended. */
  private void wantForce() {
    if (!isForceWanted) {
      isForceWanted = true;
      keeper.wake();
    }
  }

  /** Begins the next segment, unless a reset can only be a record of this one. */
  private boolean makeRoom(int bytes) {
    if (bytes > settings.segmentBytes - SegmentHeader.BYTES) {
      throw new IllegalArgumentException("a message needs " + bytes + " bytes; FileStores.Builder.segmentBytes is "
          + settings.segmentBytes);
    }
    Segment next = prepared;
    boolean hasRoom = current.hasRoom(bytes);
    if (hasRoom && (next == null || current.end() == SegmentHeader.BYTES)) {
      return true;
    }
    if (next == null) {
      failure = prepareFailure;
      keeper.wake();
      return false;
    }
    next.header.begin(list.nextRecord(), list.numbers);
    list.add(next);
    current.next = next;
    current = next;
    nextOrdinal = next.ordinal + 1;
    prepared = null;
    retire();
    keeper.wake();
    return true;
  }

  /** Whether the next segment is still being made. The keeper's thread may end this at any time. */
  boolean isSegmentPending() {
    return prepared == null && prepareFailure == null;
  }

  /**
   * Waits for the next segment.
   *
   * @return whether it is there; if not, see {@link #refusal}
   */
  boolean awaitSegment(long nanos) {
    keeper.awaitSegment(this, nanos);
    failure = prepareFailure;
    return prepared != null;
  }

  /**
   * Why the last append or force was refused; null if the next segment was still being made. The reason is that of the
   * append itself: by the time that its caller asks, the keeper may have made the segment.
   */
  @Nullable
  IOException failure() {
    return failure;
  }

  /** Why the last append or force was refused, in words for the application. */
  IOException refusal() {
    IOException reason = failure;
    return reason != null
        ? reason
        : new IOException(files.folder + ": the next segment is not ready; the disk is slow");
  }

  /** Gives segments that nobody needs any more to the keeper. */
  @SuppressWarnings("ReferenceEquality") // the very segment
  private void retire() {
    if (replays > 0) {
      return;
    }
    long bytes = list.bytes();
    while (list.count() > 1) {
      Segment first = list.get(0);
      bytes -= first.bytes();
      if (list.isLive(first) && bytes < settings.retainBytes) {
        return;
      }
      list.removeFirst();
      if (!forcesAtIntervals && firstUnforced == first) {
        firstUnforced = list.get(0);
      }
      synchronized (keeper) {
        if (lastRetired == null) {
          firstRetired = first;
        } else {
          lastRetired.nextRetired = first;
        }
        lastRetired = first;
        keeper.wake();
      }
    }
  }

  /**
   * Forces what was appended; for the thread that appends, if the keeper does not do it.
   *
   * @return false if that has failed; see {@link #refusal}
   */
  boolean force() {
    try {
      forceSegments();
      return true;
    } catch (IOException e) {
      failure = e;
      return false;
    }
  }

  /** A segment has another behind it when all of its records are there. */
  private void forceSegments() throws IOException {
    while (true) {
      Segment next = firstUnforced.next;
      firstUnforced.force(files.storage);
      if (next == null) {
        return;
      }
      firstUnforced = next;
    }
  }

  /** Why the last force at an interval has failed; null if it has not. */
  @Nullable
  IOException forceFailure() {
    return forceFailure;
  }

  /** Reads messages that were sent. A handler may append; files are not deleted meanwhile. */
  boolean replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    replays++;
    try {
      return list.replayOutbound(fromNumber, toNumber, replay);
    } finally {
      replays--;
      retire();
    }
  }

  /** Reads messages that arrived. */
  boolean replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    replays++;
    try {
      return list.replayInbound(fromNumber, toNumber, replay);
    } finally {
      replays--;
      retire();
    }
  }

  /** How long the keeper may sleep; for the keeper, which holds its monitor. */
  long nanosUntilWork(long now) {
    long force = Long.MAX_VALUE;
    if (isForceWanted) {
      if (!isForceDue) {
        isForceDue = true;
        forceAtNanos = now + settings.forceIntervalNanos;
      }
      force = forceAtNanos - now;
    }
    long prepare = prepared != null ? Long.MAX_VALUE : prepareFailure == null ? 0 : retryNanos - now;
    return firstRetired != null ? 0 : Math.min(force, prepare);
  }

  /** Does what is due; for the keeper's thread. */
  void maintain() {
    long now = System.nanoTime();
    if (isForceDue && forceAtNanos - now <= 0) {
      forceAtInterval();
    }
    removeRetired();
    if (prepared == null && (prepareFailure == null || retryNanos - now <= 0)) {
      prepare();
    }
  }

  private void forceAtInterval() {
    isForceDue = false;
    isForceWanted = false;
    try {
      forceSegments();
      forceFailure = null;
    } catch (IOException e) {
      forceFailure = new IOException("cannot force " + firstUnforced.path + " to the disk: " + e, e);
      isForceWanted = true;
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very segment
  private void removeRetired() {
    while (true) {
      Segment segment;
      synchronized (keeper) {
        segment = firstRetired;
        if (segment == null) {
          return;
        }
        firstRetired = segment.nextRetired;
        lastRetired = firstRetired == null ? null : lastRetired;
      }
      Segment next = segment.next;
      if (forcesAtIntervals && firstUnforced == segment && next != null) {
        firstUnforced = next;
      }
      segment.close();
      try {
        files.remove(segment.path);
      } catch (IOException e) {
        // it is found when the store is opened the next time, and is older than what is needed then, too
      }
    }
  }

  private void prepare() {
    try {
      Segment segment = files.create(nextOrdinal, settings.segmentBytes);
      prepareFailure = null;
      prepared = segment;
    } catch (IOException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      fail(new IOException("cannot make the next segment in " + files.folder + ": " + e, e));
    }
  }

  private void fail(IOException e) {
    retryNanos = System.nanoTime() + RETRY_NANOS;
    prepareFailure = e;
  }

  /**
   * Ends the use of the files; what was appended is in them.
   *
   * @return why it could not be forced to the disk; null if it was, or was not to be
   */
  @Nullable
  IOException close() {
    if (isClosed) {
      return null;
    }
    isClosed = true;
    keeper.remove(this);
    boolean isForced = settings.force == Force.NEVER || force();
    try {
      removeRetired();
      Segment unused = prepared;
      if (unused != null) {
        unused.close();
        Files.deleteIfExists(unused.path);
      }
    } catch (IOException e) {
      // an unused segment is deleted when the store is opened the next time
    } finally {
      list.close();
      folder.close();
    }
    return isForced ? null : failure;
  }
}
