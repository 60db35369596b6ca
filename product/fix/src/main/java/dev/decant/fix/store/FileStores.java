package dev.decant.fix.store;

import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.segment.Force;
import dev.decant.fix.segment.SegmentKeeper;
import dev.decant.fix.segment.SegmentLog;
import dev.decant.fix.segment.SegmentSettings;
import dev.decant.fix.segment.Storage;
import dev.decant.fix.settings.SessionId;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Stores each session's numbers and messages in files, in a folder of the session below the folder of the stores.
 *
 * <p>A message is stored when the append returns: the process may then be killed and loses nothing. A crash of the
 * machine loses what was not forced to the disk, see {@link Builder#forceEveryMessage}. Numbers follow from the records
 * in the files, and nothing is written twice.
 *
 * <p>A thread that all stores of one object share creates files ahead of use. A session takes twice
 * {@link Builder#segmentBytes} of disk space from the start. Appends allocate nothing and take no lock.
 *
 * <p>Any thread may open stores. The shared thread runs while stores are open.
 */
public final class FileStores implements MessageStoreFactory {
  final SegmentSettings segments;
  final boolean keepInbound;
  final long waitNanos;
  private final SegmentKeeper keeper = new SegmentKeeper();

  private FileStores(Builder builder) {
    segments = new SegmentSettings(builder.folder, builder.segmentBytes, builder.retainBytes, builder.force,
        Timeouts.nanos(builder.forceInterval), builder.archive, builder.recoverPrefix, builder.storage);
    keepInbound = builder.keepInbound;
    waitNanos = Timeouts.nanos(builder.wait);
  }

  /**
   * Returns a builder with the default settings.
   *
   * @param folder the folder of the stores; created if it does not exist
   * @return the settings
   */
  public static Builder builder(Path folder) {
    return new Builder(folder);
  }

  @Override
  public MessageStore open(SessionId session, long epochNanos) throws IOException {
    return new FileStore(openLog(session, epochNanos), this);
  }

  /** Opens the log of a session, with the records of a ring that an asynchronous store has left. */
  SegmentLog openLog(SessionId session, long epochNanos) throws IOException {
    SegmentLog log = SegmentLog.open(session, segments, keeper, epochNanos);
    RingFile.recover(log, "session " + session, segments);
    return log;
  }

  /** Configures stores in files. One thread at a time. */
  public static final class Builder {
    private static final int DEFAULT_SEGMENT_BYTES = 64 << 20;

    /** Replaced by tests. */
    Storage storage = new Storage();
    private final Path folder;
    private int segmentBytes = DEFAULT_SEGMENT_BYTES;
    private Force force = Force.NEVER;
    private Duration forceInterval = Duration.ZERO;
    private long retainBytes = Long.MAX_VALUE;
    private boolean archive;
    private boolean keepInbound;
    private boolean recoverPrefix;
    private Duration wait = Duration.ofSeconds(1);

    private Builder(Path folder) {
      this.folder = folder;
    }

    /**
     * Sets the size of a file. Default 64 MiB. The largest message must fit in, with 160 bytes more.
     *
     * @param bytes 4 KiB to 1 GiB, a multiple of 8
     * @return this
     */
    public Builder segmentBytes(int bytes) {
      if (bytes < SegmentSettings.MIN_BYTES || bytes > SegmentSettings.MAX_BYTES
          || bytes % RecordMemory.ALIGNMENT != 0) {
        throw new IllegalArgumentException("segmentBytes " + bytes + " is no multiple of 8 from 4 KiB to 1 GiB");
      }
      segmentBytes = bytes;
      return this;
    }

    /**
     * Lets the system decide when bytes go to the disk; the default. A crash of the machine may lose messages.
     *
     * @return this
     */
    public Builder forceNever() {
      force = Force.NEVER;
      return this;
    }

    /**
     * Forces bytes to the disk at intervals, on the thread of the stores. A crash of the machine may lose the messages
     * of an interval. If a force fails, {@link MessageStore#commit} returns false until another one succeeds.
     *
     * @param interval the longest time that bytes wait
     * @return this
     */
    public Builder forceAtIntervals(Duration interval) {
      forceInterval = requirePositive("forceInterval", interval);
      force = Force.AT_INTERVALS;
      return this;
    }

    /**
     * Forces each message to the disk before it is sent. {@link MessageStore#commit} does it, once for all messages
     * appended since.
     *
     * @return this
     */
    public Builder forceEveryMessage() {
      force = Force.EVERY_MESSAGE;
      return this;
    }

    /**
     * Sets how many bytes are kept at least. Default: all since the last reset. Older files are deleted, and their
     * messages are not resent.
     *
     * @param bytes size of all files of a session together
     * @return this
     */
    public Builder retainBytes(long bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException("retainBytes " + bytes + " is negative");
      }
      retainBytes = bytes;
      return this;
    }

    /**
     * Sets whether files that are no longer needed move to the folder {@code archive} of the session. Default false:
     * they are deleted.
     *
     * @param value true to keep them
     * @return this
     */
    public Builder archive(boolean value) {
      archive = value;
      return this;
    }

    /**
     * Sets whether the bytes of received messages are stored. Default false: only their numbers are.
     *
     * @param value true to store them, see {@link MessageStore#replayInbound}
     * @return this
     */
    public Builder keepInbound(boolean value) {
      keepInbound = value;
      return this;
    }

    /**
     * Sets whether a damaged store opens with the messages before the damage. Default false: it does not open. The
     * numbers then decrease, and both ends have to agree on them. Files behind the damage move to the folder
     * {@code damaged} of the session.
     *
     * @param value true to open with the messages before the damage
     * @return this
     */
    public Builder recoverPrefix(boolean value) {
      recoverPrefix = value;
      return this;
    }

    /**
     * Sets how long an append waits for the next file if that is not ready in time. Default one second. After that, the
     * append is refused; on a full disk, at once.
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

    private static Duration requirePositive(String name, Duration value) {
      if (!value.isPositive()) {
        throw new IllegalArgumentException(name + " " + value + " is not positive");
      }
      return value;
    }

    /**
     * Creates the factory.
     *
     * @return opens stores with these settings
     */
    public FileStores build() {
      return new FileStores(this);
    }
  }
}
