package dev.decant.fake.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The requests that have come, the last of them if they are many: their bytes have a bound. Watchers hear of each.
 * Owner of the loop only.
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
   * @param mostBytes the bound of all frames that are kept; the last one is always kept
   */
  public Journal(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** The number of the next request. */
  public long nextNumber() {
    return count + 1;
  }

  /** Adds a request, and forgets the oldest ones beyond the bound. */
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

  /** The requests that are kept, oldest first. */
  public List<JournalEntry> entries() {
    return List.copyOf(entries);
  }

  /** Forgets all requests; their count goes on. */
  public void clear() {
    entries.clear();
    bytes = 0;
  }

  /** Tells of each request from now on. */
  public void watch(Consumer<JournalEntry> watcher) {
    watchers.add(watcher);
  }

  /** Ends {@link #watch}. */
  public void unwatch(Consumer<JournalEntry> watcher) {
    watchers.remove(watcher);
  }
}
