package dev.decant.fix.store;

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
 * One mapped file of a store: a header (see {@link SegmentHeader}) and records up to its end; the rest is zeros.
 * Nothing in it is written twice. One thread appends and reads; the thread of {@link SegmentKeeper} makes it before,
 * forces it meanwhile, and closes it when it is retired.
 */
final class Segment implements AutoCloseable {
  static final int MIN_BYTES = 4096;
  static final int MAX_BYTES = 1 << 30;

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
  /** Views of the memory, which {@link #close} replaces by empty ones. */
  RecordMemory records;
  SegmentHeader header;
  NumberIndex index;
  /** Bytes up to here are forced; of the thread that forces. */
  private int forcedEnd;
  private boolean forceFailed;
  /** The segment that took over; null while this one takes records. Set by the thread that appends, any reads it. */
  volatile @Nullable Segment next;
  /** Links segments that are to be deleted; guarded by the keeper. */
  @Nullable
  Segment nextRetired;

  private final int bytes;
  private final NativeMemory owned;
  /** The whole file; null when it is closed. */
  private @Nullable MappedByteBuffer mapped;
  /** After the last record. */
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

  /** Makes a new file ready to begin; its pages exist, and no append waits for one. */
  void prepare(long session) {
    touch(0);
    int salt = SALTS.nextInt();
    header.prepare(bytes, session, ordinal, salt);
    records.salt(salt);
  }

  /** Stores a zero to each page, all of which are zeros, so that the first append to it is no page fault. */
  void touch(int from) {
    for (int i = from; i < bytes; i += PAGE_BYTES - (i % PAGE_BYTES)) {
      records.buffer.put(i, (byte) 0);
    }
  }

  int bytes() {
    return bytes;
  }

  /** After the last record; for the thread that appends. */
  int end() {
    return end;
  }

  /** After the last record; for another thread, which sees the records before it. */
  int endAcquire() {
    return (int) END.getVolatile(this);
  }

  void end(int value) {
    END.setRelease(this, value);
  }

  /** Stores the end, and completes that before the caller's next load: what it then sees is not older. */
  void endVolatile(int value) {
    END.setVolatile(this, value);
  }

  boolean hasRoom(int alignedBytes) {
    return alignedBytes <= bytes() - end() && index.hasRoom();
  }

  /** Forces what was appended; one thread at a time, while another may append. */
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
   * Marks pages as changed again: after a force that has failed the system may take them for written. Each gets one of
   * its bytes stored again. The bytes are in front of the end, so the thread that appends stores to none of them.
   */
  private void changePages(ByteBuffer memory, int to) {
    for (int i = forcedEnd; i < to; i += PAGE_BYTES - (i % PAGE_BYTES)) {
      memory.put(i, memory.get(i));
    }
  }

  /** The record at a place; for the thread that reads. */
  boolean isWhole(int at) {
    return records.isRecord(at, end(), records.ordinalAt(at));
  }

  /** Unmaps the file; nobody may read it any more. A closed store that is still referred to must hold no buffer. */
  @Override
  public void close() {
    mapped = null;
    records = new RecordMemory(NO_MEMORY, 0);
    header = new SegmentHeader(NO_MEMORY);
    index = new NumberIndex(NO_MEMORY.duplicate());
    owned.close();
  }
}
