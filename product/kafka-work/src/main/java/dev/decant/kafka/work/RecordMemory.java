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
   * A page with room for a record; null if the bound is reached. A record that is larger than the bound goes alone:
   * else it could never go.
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
    if (page == null && records == 0) { // the page that is being filled leaves too little, and no record gives any back
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

  /** A record is put into a page. */
  void taken(int size) {
    bytes += size;
    records++;
  }

  /** A record of a page is done. */
  void release(RecordPage page, int size) {
    bytes -= size;
    records--;
    if (page.drop() && page != filling) {
      page.close();
    }
  }

  /** Results of a record wait for their transaction: they count as long, but are elsewhere. */
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
    if (records == 0) { // else a handler reads on, and the memory goes with it
      pool.close();
    }
  }
}
