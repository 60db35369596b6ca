package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A message allocates nothing on the heap in any store. */
@Tag("allocation")
@Timeout(120)
class StoreAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int MESSAGES = 500;
  private static final int WARM_UP_RUNS = 80;
  private static final int MEASURED_RUNS = 80;
  private static final int BODY = 150;
  private static final int SEGMENT = 64 << 20;

  private final ByteBuffer body = ByteBuffer.allocateDirect(BODY);
  private int messagesPerCommit = 1;
  private long replayedBytes;
  private final MessageStore.Replay replay = (number, time, buffer, from, to) -> {
    replayedBytes += to - from;
    return true;
  };

  @TempDir
  Path folder;

  /** The fewest bytes that a run allocated on this thread. */
  private long bytesPerRun(MessageStore store) throws IOException {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      exchange(store);
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      least = run < WARM_UP_RUNS ? least : Math.min(least, allocated);
    }
    assertThat(replayedBytes).isPositive();
    return least;
  }

  private void exchange(MessageStore store) throws IOException {
    append(store);
    store.replayOutbound(store.nextOutbound() - 10, store.nextOutbound(), replay);
  }

  private void append(MessageStore store) {
    for (int i = 0; i < MESSAGES; i++) {
      long number = store.nextOutbound();
      if (!store.appendOutbound(number, BEGUN, body, 0, BODY) || (i % messagesPerCommit == 0 && !store.commit())
          || !store.appendInbound(store.nextInbound(), BEGUN, body, 0, BODY)
          || !store.setNextInbound(store.nextInbound() + 1, BEGUN)) {
        throw new AssertionError(store.failure());
      }
    }
  }

  @Test
  void memoryStoreAllocatesNothing() throws IOException {
    try (MessageStore store = new MemoryStores(1 << 20).open(SESSION, BEGUN)) {
      assertThat(bytesPerRun(store)).isZero();
    }
  }

  @Test
  void fileStoreAllocatesNothing() throws IOException {
    try (MessageStore store = FileStores.builder(folder).segmentBytes(SEGMENT).build().open(SESSION, BEGUN)) {
      assertThat(bytesPerRun(store)).isZero();
    }
  }

  @Test
  void asyncFileStoreAllocatesNothing() throws IOException {
    FileStores files = FileStores.builder(folder).segmentBytes(SEGMENT).build();
    try (MessageStore store = AsyncFileStores.builder(files).build().open(SESSION, BEGUN)) {
      assertThat(bytesPerRun(store)).isZero();
    }
  }

  @Test
  void asyncFileStoreThatForcesEachMessageAllocatesNothing() throws IOException {
    messagesPerCommit = MESSAGES / 2;
    FileStores files = FileStores.builder(folder).segmentBytes(SEGMENT).keepInbound(true).forceEveryMessage().build();
    try (MessageStore store = AsyncFileStores.builder(files).build().open(SESSION, BEGUN)) {
      assertThat(bytesPerRun(store)).isZero();
    }
  }

  @Test
  void threadThatWritesTheFilesAllocatesNothing() throws IOException {
    assertThat(writerBytesPerRun(FileStores.builder(folder).segmentBytes(SEGMENT))).isZero();
  }

  @Test
  void threadThatWritesAndForcesTheFilesAllocatesNothing() throws IOException {
    messagesPerCommit = MESSAGES / 2;
    assertThat(writerBytesPerRun(FileStores.builder(folder).segmentBytes(SEGMENT).forceEveryMessage())).isZero();
  }

  /** The fewest bytes that the writer allocated for a run. */
  private long writerBytesPerRun(FileStores.Builder files) throws IOException {
    try (MessageStore store = AsyncFileStores.builder(files.build()).build().open(SESSION, BEGUN)) {
      long writer = RingWriterThreads.only().threadId();
      long least = Long.MAX_VALUE;
      for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
        long before = THREADS.getThreadAllocatedBytes(writer);
        append(store);
        Await.until("the writer", ((AsyncFileStore) store)::isMoved);
        long allocated = THREADS.getThreadAllocatedBytes(writer) - before;
        least = run < WARM_UP_RUNS ? least : Math.min(least, allocated);
      }
      return least;
    }
  }

  @Test
  void fileStoreThatKeepsArrivingMessagesAndForcesEachOneAllocatesNothing() throws IOException {
    messagesPerCommit = MESSAGES / 2;
    FileStores stores = FileStores.builder(folder).segmentBytes(SEGMENT).keepInbound(true).forceEveryMessage().build();
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      assertThat(bytesPerRun(store)).isZero();
    }
  }
}
