package dev.decant.fake.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The received requests; beyond a number of bytes only the last ones are kept. Watchers take each request. Owner of the
 * loop only.
 */
public final class Journal {
  private final ArrayDeque<JournalEntry> entries = new ArrayDeque<>();
  private final List<Consumer<JournalEntry>> watchers = new ArrayList<>();
  private final long mostBytes;
  private long bytes;
  private long count;

  /**
   * Creates a journal.
   *
   * @param mostBytes most bytes of all kept frames; the last frame is always kept
   */
  public Journal(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Returns the number of the next request. */
  public long nextNumber() {
    return count + 1;
  }

  /** Adds a request, and drops the oldest ones beyond the limit. */
  public void add(JournalEntry entry) {
    count++;
    entries.addLast(entry);
    bytes += entry.frame().length;
    while (bytes > mostBytes && entries.size() > 1) {
      bytes -= entries.removeFirst().frame().length;
    }
    if (!watchers.isEmpty()) {
      List.copyOf(watchers).forEach(watcher -> watcher.accept(entry));
    }
  }

  /** Returns the kept requests, oldest first. */
  public List<JournalEntry> entries() {
    return List.copyOf(entries);
  }

  /** Drops all requests; their numbers continue. */
  public void clear() {
    entries.clear();
    bytes = 0;
  }

  /** Adds a watcher, which takes each request from now on. */
  public void watch(Consumer<JournalEntry> watcher) {
    watchers.add(watcher);
  }

  /** Removes a watcher. */
  public void unwatch(Consumer<JournalEntry> watcher) {
    watchers.remove(watcher);
  }
}
