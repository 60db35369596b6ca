package dev.decant.fix.segment;

import dev.decant.fix.record.RecordKind;
import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.record.SequenceNumbers;
import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/**
 * The records of one session, appended to segments. One thread at a time appends and reads. Meanwhile, the thread of
 * the {@link SegmentKeeper} creates and deletes segments, and forces them if the settings want that at intervals.
 */
public final class SegmentLog {
  private static final long RETRY_NANOS = 100_000_000;

  private final SessionFolder folder;
  private final SegmentFiles files;
  private final SegmentSettings settings;
  private final SegmentKeeper keeper;
  private final SegmentList list;
  private final boolean forcesAtIntervals;
  /** The segment that takes records. Thread that appends. */
  private Segment current;
  /** Number of replays in progress: meanwhile no segment is retired. Thread that appends. */
  private int replays;
  /** Why the last append or force was refused; null if the next segment was not ready. Thread that appends. */
  private @Nullable IOException failure;
  private boolean isClosed;

  /** The thread that waits for the keeper while it appends or closes. Set by that thread, read by the keeper. */
  volatile @Nullable Thread keeperWaiter;
  /**
   * The next segment, or null. The keeper sets it while it is null. The thread that appends takes it, and sets null.
   */
  private volatile @Nullable Segment prepared;
  /** Why the next segment could not be made; null if it could. Written by the keeper. */
  private volatile @Nullable IOException prepareFailure;
  /** The ordinal of the next segment. The thread that appends changes it before it sets {@link #prepared} to null. */
  private long nextOrdinal;
  /** When the keeper tries again to make a segment, in nanoseconds of the monotonic clock. Keeper only. */
  private long retryNanos;
  /** The first of the segments to be deleted, oldest first. Guarded by the keeper's monitor. */
  private @Nullable Segment firstRetired;
  /** The last of these segments. Guarded by the keeper's monitor. */
  private @Nullable Segment lastRetired;
  /** The segment with the records that made these segments obsolete. Guarded by the keeper's monitor. */
  private @Nullable Segment retiredBy;
  /** The position after the last of these records. Guarded by the keeper's monitor. */
  private int retiredByEnd;
  /** True while there are retired segments. Written in the keeper's monitor, read by any thread. */
  private volatile boolean hasRetired;

  /**
   * The first segment with bytes that are not forced. The keeper owns it if it forces at intervals; otherwise the
   * thread that appends does.
   */
  private Segment firstUnforced;
  /**
   * True if a record was appended since the keeper began to force. Set by the thread that appends, cleared before a
   * force.
   */
  private volatile boolean isForceWanted;
  /** When the keeper forces next, in nanoseconds of the monotonic clock. Keeper only. */
  private long forceAtNanos;
  /** True if the keeper has seen a request to force. Keeper only. */
  private boolean isForceDue;
  /** Why the last force at an interval failed; null if it did not. Written by the keeper. */
  private volatile @Nullable IOException forceFailure;

  private SegmentLog(SessionFolder folder, SegmentFiles files, SegmentList list, SegmentSettings settings,
      SegmentKeeper keeper) {
    this.folder = folder;
    this.files = files;
    this.list = list;
    this.settings = settings;
    this.keeper = keeper;
    forcesAtIntervals = settings.force() == Force.AT_INTERVALS;
    current = list.last();
    nextOrdinal = current.ordinal + 1;
    firstUnforced = list.get(0);
  }

  /** Opens the log of a session, and creates it if there is none. */
  public static SegmentLog open(SessionId session, SegmentSettings settings, SegmentKeeper keeper, long epochNanos)
      throws IOException {
    return open(SessionFolder.open(settings.folder(), session), "session " + session, settings, keeper, epochNanos);
  }

  /** Opens the log in a locked folder. The log closes the folder; if the log cannot be opened, this method does. */
  public static SegmentLog open(SessionFolder folder, String what, SegmentSettings settings, SegmentKeeper keeper,
      long epochNanos) throws IOException {
    boolean isOpen = false;
    try {
      SegmentFiles files = new SegmentFiles(folder, settings);
      SegmentList list = SegmentRecovery.recover(files, settings.recoversPrefix());
      if (list.count() == 0) {
        list.add(files.createFirst(settings.bytes(), new SequenceNumbers(epochNanos)));
      }
      SegmentLog log = new SegmentLog(folder, files, list, settings, keeper);
      log.retire();
      keeper.add(log);
      isOpen = true;
      return log;
    } catch (IOException e) {
      throw new IOException("cannot open the store of " + what + ": " + reason(e), e);
    } finally {
      if (!isOpen) {
        folder.close();
      }
    }
  }

  /** Returns what went wrong; with the class of an error whose message is the path alone. */
  private static String reason(IOException e) {
    String message = e.getMessage();
    boolean isPathAlone = e instanceof FileSystemException file && file.getReason() == null;
    return message == null || isPathAlone ? e.toString() : message;
  }

  /** Returns the files of the segments. */
  public SegmentFiles files() {
    return files;
  }

  /** Returns the numbers that follow from all records. The log changes them. */
  public SequenceNumbers numbers() {
    return list.numbers;
  }

  /** Returns the bytes of headers and records in the files. Thread that appends. */
  public long usedBytes() {
    return list.bytes() - current.bytes() + current.end();
  }

  /** Returns the bytes of all files that have records. Thread that appends. */
  public long fileBytes() {
    return list.bytes();
  }

  /** Returns the ordinal of the next record. */
  public long nextRecord() {
    return list.nextRecord();
  }

  /**
   * Appends a record, whose number the caller has checked. Returns false if that is impossible now; see
   * {@link #failure} and {@link #refusal}.
   */
  public boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
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

  /** Makes the keeper force within an interval. It clears the flag first, so it sees every append before that. */
  private void wantForce() {
    if (!isForceWanted) {
      isForceWanted = true;
      keeper.wake();
    }
  }

  /** Begins the next segment if the record does not fit. A reset begins one in any case, if one is ready. */
  private boolean makeRoom(int bytes) {
    if (bytes > settings.bytes() - SegmentHeader.BYTES) {
      throw new IllegalArgumentException("a message needs " + bytes + " bytes; FileStores.Builder.segmentBytes is "
          + settings.bytes());
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

  /** Returns true while the next segment is being made. The keeper's thread may change that at any time. */
  public boolean isSegmentPending() {
    return prepared == null && prepareFailure == null;
  }

  /** Waits for the next segment. Returns true if it is ready; otherwise see {@link #refusal}. */
  public boolean awaitSegment(long nanos) {
    keeper.awaitSegment(this, nanos);
    failure = prepareFailure;
    return prepared != null;
  }

  /**
   * Returns why the last append or force was refused; null if the next segment was not ready. The append itself records
   * the reason. A store once asked later whether the segment was pending. The keeper had made it meanwhile, so the
   * store took that for a broken disk and refused a message.
   */
  @Nullable
  public IOException failure() {
    return failure;
  }

  /** Returns why the last append or force was refused, as a message for the application. */
  public IOException refusal() {
    IOException reason = failure;
    return reason != null
        ? reason
        : new IOException(files.folder + ": the next segment is not ready; the disk is slow");
  }

  /** Passes segments that are no longer needed to the keeper, for deletion. */
  @SuppressWarnings("ReferenceEquality") // identity: the same segment
  private void retire() {
    if (replays > 0) {
      return;
    }
    long bytes = list.bytes();
    while (list.count() > 1) {
      Segment first = list.get(0);
      bytes -= first.bytes();
      if (list.isLive(first) && bytes < settings.retainBytes()) {
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
        retiredBy = current;
        retiredByEnd = current.end();
        hasRetired = true;
        keeper.wake();
      }
    }
  }

  /**
   * Forces all appended records, on the thread that appends, if the keeper does not force. Returns false if that has
   * failed; see {@link #refusal}.
   */
  public boolean force() {
    try {
      forceSegments();
    } catch (IOException e) {
      failure = e;
      return false;
    }
    if (hasRetired) {
      keeper.wake(); // Retired segments wait for this force.
    }
    return true;
  }

  /** Forces the segments up to the current one. A segment with a successor takes no more records. */
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

  /** Returns why the last force at an interval has failed; null if it has not. */
  @Nullable
  public IOException forceFailure() {
    return forceFailure;
  }

  /** Reads messages that were sent. A handler may append, so no file is deleted meanwhile. */
  public boolean replayOutbound(long fromNumber, long toNumber, MessageHandler handler) throws IOException {
    replays++;
    try {
      return list.replayOutbound(fromNumber, toNumber, handler);
    } finally {
      replays--;
      retire();
    }
  }

  /** Reads messages that were received. */
  public boolean replayInbound(long fromNumber, long toNumber, MessageHandler handler) throws IOException {
    replays++;
    try {
      return list.replayInbound(fromNumber, toNumber, handler);
    } finally {
      replays--;
      retire();
    }
  }

  /** Returns how long the keeper may sleep. Keeper only, in its monitor. */
  long nanosUntilWork(long now) {
    long force = Long.MAX_VALUE;
    if (isForceWanted) {
      if (!isForceDue) {
        isForceDue = true;
        forceAtNanos = now + settings.forceIntervalNanos();
      }
      force = forceAtNanos - now;
    }
    long prepare = prepared != null ? Long.MAX_VALUE : prepareFailure == null ? 0 : retryNanos - now;
    return mayRemoveRetired() ? 0 : Math.min(force, prepare);
  }

  /**
   * Returns true if retired segments may be deleted. If the settings force, the records that made them obsolete must be
   * on the disk. A crash of the machine between the two once left neither, and the store could not be opened. Keeper
   * only, in its monitor, or the thread that closes.
   */
  private boolean mayRemoveRetired() {
    Segment by = retiredBy;
    return firstRetired != null && (settings.force() == Force.NEVER || by == null || by.isForcedTo(retiredByEnd));
  }

  /** Does the work that is due. Keeper only. */
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

  @SuppressWarnings("ReferenceEquality") // identity: the same segment
  private void removeRetired() {
    while (true) {
      Segment segment;
      synchronized (keeper) {
        segment = firstRetired;
        if (segment == null || !mayRemoveRetired()) {
          return;
        }
        firstRetired = segment.nextRetired;
        lastRetired = firstRetired == null ? null : lastRetired;
        hasRetired = firstRetired != null;
      }
      Segment next = segment.next;
      if (forcesAtIntervals && firstUnforced == segment && next != null) {
        firstUnforced = next;
      }
      segment.close();
      try {
        files.remove(segment.path);
      } catch (IOException e) {
        // The file stays until the next opening of the store, which finds and deletes it as an old one.
      }
    }
  }

  private void prepare() {
    try {
      Segment segment = files.create(nextOrdinal, settings.bytes());
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
   * Closes the files, which hold all appended records. Returns why these could not be forced to the disk; null if they
   * were, or if the settings do not force.
   */
  @Nullable
  public IOException close() {
    if (isClosed) {
      return null;
    }
    isClosed = true;
    keeper.remove(this);
    boolean isForced = settings.force() == Force.NEVER || force();
    try {
      removeRetired();
      Segment unused = prepared;
      if (unused != null) {
        unused.close();
        Files.deleteIfExists(unused.path);
      }
    } catch (IOException e) {
      // The next opening of the store deletes an unused segment.
    } finally {
      for (Segment left = firstRetired; left != null; left = left.nextRetired) {
        left.close(); // Its file stays for the next opening.
      }
      list.close();
      folder.close();
    }
    return isForced ? null : failure;
  }
}
