package dev.decant.fix.store;

import java.util.List;

/** The threads that write files of asynchronous stores. */
final class RingWriterThreads {
  private static final String NAME = "decant-fix-store-writer";

  private RingWriterThreads() {}

  /** Those that live. */
  static List<Thread> all() {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals(NAME)).toList();
  }

  /** The only one, when those of other stores have ended. */
  static Thread only() {
    Await.until("one writer", () -> all().size() == 1);
    return all().getFirst();
  }
}
