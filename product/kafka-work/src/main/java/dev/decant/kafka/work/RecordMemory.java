package dev.decant.kafka.work;

import dev.decant.buffer.BufferPool;
import org.jspecify.annotations.Nullable;

/** The memory of the copies of records under way, bounded in bytes. The loop only; nothing is allocated per record. */
final class RecordMemory implements AutoCloseable {
  private final BufferPool pool;
  private final long mostBytes;
  private @Nullable RecordPage filling;
  private long bytes;
  private int records;

  RecordMemory(long mostBytes) {
    this.mostBytes = mostBytes;
    this.pool = new BufferPool(Math.max(mostBytes, 4L * RecordPage.BYTES), RecordPage.BYTES);
  }

  /**
   * Returns a page with room for a record; null if the bound is reached. A record that is larger than the bound gets a
   * page when no other record is under way: else the work could never take it.
   */
  @Nullable
  RecordPage reserve(int size) {
    if (records > 0 && bytes + size > mostBytes) {
      return null;
    }
    RecordPage page = filling;
    if (page != null && page.hasRoom(size)) {
      return page;
    }
    page = reserveSlowPath(size);
    // the page being filled has too little room, and no record is there to give memory back
    if (page == null && records == 0) {
      return RecordPage.outside(size);
    }
    return page;
  }

  private @Nullable RecordPage reserveSlowPath(int size) {
    if (size > pool.maxBytes()) {
      return RecordPage.outside(size);
    }
    RecordPage page = RecordPage.open(pool, size);
    if (page == null || size > RecordPage.BYTES) {
      return page;
    }
    RecordPage full = filling;
    if (full != null && full.isUnused()) {
      full.close();
    }
    filling = page;
    return page;
  }

  /** Counts the bytes of a record that was put into a page. */
  void taken(int size) {
    bytes += size;
    records++;
  }

  /** Counts out a record of a page that is done. */
  void release(RecordPage page, int size) {
    bytes -= size;
    records--;
    if (page.drop() && page != filling) {
      page.close();
    }
  }

  /**
   * Counts the results of a record until their transaction ends. They are in {@link ResultMemory}, and share the bound.
   */
  void addResults(int size) {
    bytes += size;
  }

  void dropResults(int size) {
    bytes -= size;
  }

  /** Bytes of records under way, and of results that wait. */
  long bytes() {
    return bytes;
  }

  @Override
  public void close() {
    RecordPage page = filling;
    if (page != null && page.isUnused()) {
      page.close();
      filling = null;
    }
    if (records == 0) { // else a handler may still read, and the garbage collector frees the memory
      pool.close();
    }
  }
}
