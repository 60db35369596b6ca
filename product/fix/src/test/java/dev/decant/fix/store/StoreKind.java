package dev.decant.fix.store;

import java.io.IOException;
import java.nio.file.Path;

/** The stores that there are. */
enum StoreKind {
  MEMORY, FILE, ASYNC;

  private static final int SMALL_SEGMENT = 16 * 1024;

  /** Opens the store of the tests' session, with small files that hold all. */
  MessageStore open(Path folder) throws IOException {
    return switch (this) {
      case MEMORY -> new MemoryStores().open(StoredMessages.SESSION, StoredMessages.BEGUN);
      case FILE -> files(folder).build().open(StoredMessages.SESSION, StoredMessages.BEGUN);
      case ASYNC -> async(files(folder)).open(StoredMessages.SESSION, StoredMessages.BEGUN);
    };
  }

  static FileStores.Builder files(Path folder) {
    return FileStores.builder(folder).segmentBytes(SMALL_SEGMENT).keepInbound(true);
  }

  /** With the smallest ring. */
  static AsyncFileStores async(FileStores.Builder files) {
    return AsyncFileStores.builder(files.build()).ringBytes(RecordRing.MIN_BYTES).build();
  }

  /** Whether what was stored is there when it is opened again. */
  boolean isDurable() {
    return this != MEMORY;
  }
}
