package dev.decant.fix.segment;

import dev.decant.fix.record.NativeMemory;
import dev.decant.fix.record.RecordMemory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One mapped file of a store: a header (see {@link SegmentHeader}), then records, then zeros. Nothing in it is written
 * twice. One thread appends and reads. The thread of the {@link SegmentKeeper} prepares it before, forces it meanwhile,
 * and closes it when it is retired.
 */
final class Segment implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocateDirect(0);
  private static final VarHandle END;
  private static final SecureRandom SALTS = new SecureRandom();

  static {
    try {
      END = MethodHandles.lookup().findVarHandle(Segment.class, "end", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Path path;
  final long ordinal;
  /** Views of the memory. {@link #close} replaces them by empty ones. */
  RecordMemory records;
  SegmentHeader header;
  NumberIndex index;
  /** All bytes before this position are forced. Set by the thread that forces, read by any thread. */
  private volatile int forcedEnd;
  /** True if the last force failed: the pages must be changed again before the next one. Thread that forces. */
  private boolean forceFailed;
  /** The following segment; null while this one takes records. Set by the thread that appends, read by any thread. */
  volatile @Nullable Segment next;
  /** The next segment to be deleted. Guarded by the keeper's monitor. */
  @Nullable
  Segment nextRetired;

  private final int bytes;
  private final NativeMemory owned;
  /** The whole file; null when it is closed. */
  private @Nullable MappedByteBuffer mapped;
  /** The position after the last record. */
  private int end = SegmentHeader.BYTES;

  private Segment(Path path, long ordinal, MappedByteBuffer mapped, NativeMemory owned) {
    this.path = path;
    this.ordinal = ordinal;
    this.mapped = mapped;
    this.owned = owned;
    bytes = mapped.capacity();
    records = new RecordMemory(mapped, 0);
    header = new SegmentHeader(records.buffer);
    index = new NumberIndex(owned.allocate(NumberIndex.bytes(bytes)));
  }

  /**
   * Maps a file.
   *
   * @param channel the file; may be closed afterwards
   * @param mode whether records will be appended
   */
  static Segment map(Path path, long ordinal, FileChannel channel, MapMode mode, int bytes) throws IOException {
    NativeMemory memory = NativeMemory.open();
    try {
      return new Segment(path, ordinal, memory.map(channel, mode, bytes), memory);
    } catch (IOException | RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  /** Prepares a new file. Its pages exist afterwards, so no append waits for one. */
  void prepare(long session) {
    touch(0);
    int salt = SALTS.nextInt();
    header.prepare(bytes, session, ordinal, salt);
    records.salt(salt);
  }

  /**
   * Stores a zero to each page. The pages hold zeros already, but the first append would otherwise cause a page fault.
   */
  void touch(int from) {
    for (int i = from; i < bytes; i += PAGE_BYTES - (i % PAGE_BYTES)) {
      records.buffer.put(i, (byte) 0);
    }
  }

  int bytes() {
    return bytes;
  }

  /** Returns the position after the last record. Thread that appends. */
  int end() {
    return end;
  }

  /** Returns the position after the last record, to another thread, which then sees the records before it. */
  int endAcquire() {
    return (int) END.getVolatile(this);
  }

  void end(int value) {
    END.setRelease(this, value);
  }

  /** Stores the end by a volatile store, so that the caller's next load cannot return an older value. */
  void endVolatile(int value) {
    END.setVolatile(this, value);
  }

  boolean hasRoom(int alignedBytes) {
    return alignedBytes <= bytes() - end() && index.hasRoom();
  }

  /** Forces the appended records. One thread at a time; another one may append meanwhile. */
  void force(Storage storage) throws IOException {
    int to = endAcquire();
    if (to == forcedEnd) {
      return;
    }
    MappedByteBuffer memory = Objects.requireNonNull(mapped, "the segment is closed");
    if (forceFailed) {
      changePages(memory, to);
    }
    forceFailed = true;
    storage.force(memory, forcedEnd, to);
    forceFailed = false;
    forcedEnd = to;
  }

  /**
   * Marks pages as changed again after a force that failed, since the system may take them for written. It stores one
   * byte of each page again. These bytes are before the end, so the thread that appends does not write to them.
   */
  private void changePages(ByteBuffer memory, int to) {
    for (int i = forcedEnd; i < to; i += PAGE_BYTES - (i % PAGE_BYTES)) {
      memory.put(i, memory.get(i));
    }
  }

  /** Returns true if all bytes before a position are forced. Any thread. */
  boolean isForcedTo(int position) {
    return forcedEnd >= position;
  }

  /** Returns true if the record at this position is complete. Thread that reads. */
  boolean isWhole(int at) {
    return records.isRecord(at, end(), records.ordinalAt(at));
  }

  /**
   * Unmaps the file, which no thread may read afterwards. A closed store may still be referenced, so it must keep no
   * buffer.
   */
  @Override
  public void close() {
    mapped = null;
    records = new RecordMemory(NO_MEMORY, 0);
    header = new SegmentHeader(NO_MEMORY);
    index = new NumberIndex(NO_MEMORY.duplicate());
    owned.close();
  }
}
