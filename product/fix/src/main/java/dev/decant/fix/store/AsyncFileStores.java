package dev.decant.fix.store;

import dev.decant.fix.segment.SegmentLog;
import dev.decant.fix.settings.SessionId;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.time.Duration;

/**
 * Stores each session's numbers and messages in the files of {@link FileStores}, which a thread of its own writes.
 *
 * <p>An append stores the message in a ring: a mapped file {@code ring} in the folder of the session. One thread for
 * all stores of one object moves messages from there to the files. A killed process loses no message that an append has
 * accepted: the next opening moves the rest of the ring. Both kinds of stores can open the same folder, one after the
 * other. A crash of the machine loses what was not forced to the disk.
 *
 * <p>If the ring is full, because the disk is slow or full, an append waits for {@link Builder#maxWait} and is then
 * refused. With {@link FileStores.Builder#forceEveryMessage}, {@link MessageStore#commit} waits until the thread has
 * forced the messages. With {@link FileStores.Builder#forceAtIntervals}, an interval begins when the thread has moved
 * the messages, at most 10 ms after they were appended.
 *
 * <p>Appends allocate nothing and take no lock. The thread takes the lock of one store at a time, and does not wait for
 * it. It sleeps while no messages arrive. Any thread may open stores.
 */
public final class AsyncFileStores implements MessageStoreFactory {
  final FileStores files;
  final int ringBytes;
  final long waitNanos;
  final long forceWaitNanos;
  private final RingWriter writer = new RingWriter();

  private AsyncFileStores(Builder builder) {
    files = builder.files;
    ringBytes = builder.ringBytes;
    waitNanos = Timeouts.nanos(builder.wait);
    forceWaitNanos = Timeouts.nanos(builder.forceWait);
  }

  /**
   * Returns a builder with the default settings of the ring.
   *
   * @param files the folder, and all settings of the files
   * @return the settings
   */
  public static Builder builder(FileStores files) {
    return new Builder(files);
  }

  @Override
  public MessageStore open(SessionId session, long epochNanos) throws IOException {
    SegmentLog log = files.openLog(session, epochNanos);
    RecordRing ring;
    try {
      ring = RingFile.create(log.files(), ringBytes, log.nextRecord());
    } catch (IOException e) {
      log.close();
      throw new IOException("cannot open the store of session " + session + ": " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      log.close();
      throw e;
    }
    AsyncFileStore store = new AsyncFileStore(log, ring, this, writer);
    writer.add(store);
    return store;
  }

  /** Configures stores whose files a thread writes. One thread at a time. */
  public static final class Builder {
    private static final int DEFAULT_RING_BYTES = 4 << 20;
    private static final Duration DEFAULT_FORCE_WAIT = Duration.ofSeconds(10);

    private final FileStores files;
    private int ringBytes = DEFAULT_RING_BYTES;
    private Duration wait = Duration.ofSeconds(1);
    private Duration forceWait = DEFAULT_FORCE_WAIT;

    private Builder(FileStores files) {
      this.files = files;
    }

    /**
     * Sets how many bytes may wait for the thread. Default 4 MiB, some 20,000 messages of 150 bytes. A message takes 32
     * bytes more than its own. The largest message takes half of the ring at most.
     *
     * @param bytes 64 KiB to 1 GiB, a power of two
     * @return this
     */
    public Builder ringBytes(int bytes) {
      if (bytes < RecordRing.MIN_BYTES || bytes > RecordRing.MAX_BYTES || Integer.bitCount(bytes) != 1) {
        throw new IllegalArgumentException("ringBytes " + bytes + " is no power of two from 64 KiB to 1 GiB");
      }
      ringBytes = bytes;
      return this;
    }

    /**
     * Sets how long an append waits for room in the ring. Default one second. After that, the append is refused; on a
     * full disk, at once.
     *
     * @param value the longest wait; zero to refuse at once
     * @return this
     */
    public Builder maxWait(Duration value) {
      if (value.isNegative()) {
        throw new IllegalArgumentException("maxWait " + value + " is negative");
      }
      wait = value;
      return this;
    }

    /**
     * Sets how long a commit waits until the thread has forced messages, and how long a replay or a close waits for its
     * work. Default 10 seconds.
     *
     * @param value the longest wait
     * @return this
     */
    public Builder maxForceWait(Duration value) {
      if (!value.isPositive()) {
        throw new IllegalArgumentException("maxForceWait " + value + " is not positive");
      }
      forceWait = value;
      return this;
    }

    /**
     * Creates the factory.
     *
     * @return opens stores with these settings
     */
    public AsyncFileStores build() {
      return new AsyncFileStores(this);
    }
  }
}
