package dev.decant.fix.store;

import dev.decant.fix.settings.SessionId;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.time.Duration;

/**
 * Keeps each session's numbers and messages in the files of {@link FileStores}, which a thread of its own writes.
 *
 * <p>An append stores the message in a ring, a mapped file {@code ring} in the folder of the session. One thread for
 * all stores of one object moves messages from there to the files. A process that is killed loses nothing that an
 * append has accepted. The next store that opens moves the rest of the ring. Both kinds of stores can open the same
 * folder, one after the other. A crash of the machine loses what was not forced to the disk.
 *
 * <p>If the ring is full, because the disk is slow or full, an append waits for {@link Builder#maxWait}, then it is
 * refused. With {@link FileStores.Builder#forceEveryMessage}, {@link MessageStore#commit} waits until the thread has
 * forced the messages. With {@link FileStores.Builder#forceAtIntervals}, an interval begins when the thread has moved
 * the messages, 10 ms after they were appended at most.
 *
 * <p>Appends allocate nothing and take no lock; so does the thread, except for the lock of one store, which it does not
 * wait for. It sleeps while no messages arrive. Any thread may open stores.
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
   * Begins with the default settings of the ring.
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
      ring = log.createRing(ringBytes);
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

  /** The settings of stores whose files a thread writes. One thread at a time. */
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
     * How many bytes wait for the thread at most; default 4 MiB, some 20,000 messages of 150 bytes. The largest message
     * takes half of it at most. A message takes 32 bytes more than its own.
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
     * How long an append waits for room in the ring; default one second. After that, and at once if the disk is full,
     * it is refused.
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
     * How long a commit waits for the thread to force messages, and a replay or a close waits for its work. Default 10
     * seconds.
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
     * Ends the settings.
     *
     * @return opens stores
     */
    public AsyncFileStores build() {
      return new AsyncFileStores(this);
    }
  }
}
