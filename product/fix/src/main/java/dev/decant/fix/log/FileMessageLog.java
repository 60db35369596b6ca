package dev.decant.fix.log;

import dev.decant.fix.settings.SessionId;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes all messages and events of an engine to text files of one folder, with a thread of its own. The calls copy
 * bytes into a ring in direct memory; the writer thread formats and writes them. Neither allocates once it is warm.
 *
 * <p>A line is a message or an event, with UTC time, session, and direction ({@code in}, {@code out}, {@code event}):
 *
 * <pre>
 *   20260314-09:26:53.589793 FIX.4.4:SELLER->BUYER in 8=FIX.4.4|9=73|35=A|...|553=trader|554=***|10=082|
 *   20260314-09:26:53.590102 FIX.4.4:SELLER->BUYER event logged on
 *   20260314-09:27:00.113960 - event 12 messages were not logged
 * </pre>
 * <ul>
 * <li>{@code |} stands for SOH, unless {@link Builder#keepSoh} is set. Bytes that are not printable ASCII become
 * {@code \xNN}, a backslash becomes two, and a {@code |} of the message becomes {@code \x7C}.
 * <li>{@code ***} replaces each value of Password(554), NewPassword(925), RawData(96), and of the tags added with
 * {@link Builder#maskTag} and {@link Builder#maskData}. Garbled messages and events are masked, too. If the end of a
 * value is unclear, {@code ***} replaces the rest of the message.
 * <li>A message longer than {@link Builder#maxMessageBytes} is cut, and its line ends with the number of missing bytes:
 * {@code \(5000 bytes more)}.
 * <li>If the ring is full, messages are not logged, and a line has their count. {@link Builder#maxBlock} makes the
 * engine wait instead.
 * <li>If a file cannot be written, as on a full disk, the logger {@code dev.decant.fix} gets a report, and the ring
 * keeps its content. It tries again each {@link Builder#retryInterval}.
 * </ul>
 *
 * <p>A file is named {@code messages-20260314-0001.log} by the UTC day of its first line and a number. It ends with the
 * day, or with the line that reaches {@link Builder#maxFileBytes}. A log that is opened again appends to the last file
 * of the day. Do not move the file in use; the others may be moved, packed, and deleted at any time. With
 * {@link Builder#compress} the log packs them itself.
 *
 * <p>Only the owner of the engine's loop calls the methods of {@link MessageLog}; any thread may read the counts.
 */
public final class FileMessageLog implements MessageLog {
  /** The longest session name in a line, in bytes. */
  static final int LONGEST_NAME = 1024;

  private static final byte SOH = 1;
  private static final byte[] HEARTBEAT = {'3', '5', '=', '0', SOH};
  private static final int SMALLEST_RING = 1 << 13;
  private static final int SMALLEST_MESSAGE = 64;
  private static final long WAIT_NANOS = 50_000;

  private final LogRing ring;
  private final LogWriter writer;
  private final LogFailures failures;
  private final Thread thread;
  private final int maxMessageBytes;
  private final long maxBlockNanos;
  private final Duration closeTimeout;
  private final boolean logsHeartbeats;

  // Owner of the loop only.
  private final Map<SessionId, byte[]> names = new HashMap<>();
  /** The session of the last record. Most records follow one of the same session. */
  private @Nullable SessionId lastSession;
  /** The encoded name of that session. */
  private byte[] lastName = {};
  /** True after the close: further records are counted as not logged. */
  private boolean closed;

  private FileMessageLog(Builder builder, FileChannel lock) {
    ring = new LogRing(Integer.highestOneBit(builder.ringBytes - 1) << 1);
    failures = new LogFailures(builder.logger);
    maxMessageBytes = Math.min(builder.maxMessageBytes, ring.capacity() / 4 - LONGEST_NAME - LogRing.HEADER_BYTES);
    maxBlockNanos = Timeouts.nanos(builder.maxBlock);
    closeTimeout = builder.closeTimeout;
    logsHeartbeats = builder.heartbeats;
    RollingFile file = new RollingFile(builder, lock, failures);
    LineFormatter formatter = new LineFormatter(new Masking(builder.masked), builder.keepSoh);
    writer = new LogWriter(ring, formatter, file, failures, builder);
    thread = Thread.ofPlatform().name("decant-fix-log").daemon().unstarted(writer);
  }

  /**
   * Returns a builder with the default settings.
   *
   * @param folder the folder of the files; created if there is none. A folder serves one log at a time
   * @return a builder
   */
  public static Builder builder(Path folder) {
    return new Builder(folder);
  }

  @Override
  public void inbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {
    message(LogRing.INBOUND, session, epochNanos, buffer, from, to);
  }

  @Override
  public void outbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {
    message(LogRing.OUTBOUND, session, epochNanos, buffer, from, to);
  }

  private void message(short kind, SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {
    Objects.checkFromToIndex(from, to, buffer.limit());
    if (!logsHeartbeats && isHeartbeat(buffer, from, to)) {
      return;
    }
    byte[] name = nameOf(session);
    int logged = Math.min(to - from, maxMessageBytes);
    int index = claim(name.length + logged, epochNanos);
    if (index >= 0) {
      int at = begin(index, kind, name, epochNanos);
      ring.memory().put(at, buffer, from, logged);
      ring.lengths(index, to - from, logged);
      publish();
    }
  }

  /** Returns true if MsgType(35), the third field, is 0. */
  private static boolean isHeartbeat(ByteBuffer buffer, int from, int to) {
    int fields = 0;
    for (int i = from; i < to - HEARTBEAT.length; i++) {
      if (buffer.get(i) == SOH && ++fields == 2) {
        int k = 0;
        while (k < HEARTBEAT.length && buffer.get(i + 1 + k) == HEARTBEAT[k]) {
          k++;
        }
        return k == HEARTBEAT.length;
      }
    }
    return false;
  }

  @Override
  public void event(SessionId session, long epochNanos, String text) {
    byte[] name = nameOf(session);
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      bytes += EventText.bytes(text.charAt(i));
    }
    int logged = Math.min(bytes, maxMessageBytes);
    int index = claim(name.length + logged, epochNanos);
    if (index >= 0) {
      int at = begin(index, LogRing.EVENT, name, epochNanos);
      ring.lengths(index, bytes, EventText.put(text, ring.memory(), at, at + logged) - at);
      publish();
    }
  }

  /** Writes a record up to its message. Returns the index of the message. */
  private int begin(int index, short kind, byte[] name, long epochNanos) {
    ring.describe(index, kind, name.length, epochNanos);
    ring.memory().put(index + LogRing.HEADER_BYTES, name);
    return index + LogRing.HEADER_BYTES + name.length;
  }

  private void publish() {
    ring.publish();
    writer.published(thread);
  }

  private int claim(int payloadBytes, long epochNanos) {
    int index = closed ? -1 : ring.claim(payloadBytes);
    return index >= 0 ? index : claimSlowPath(payloadBytes, epochNanos);
  }

  /** Waits for room if the settings say so, unless nothing can be written in any case. */
  private int claimSlowPath(int payloadBytes, long epochNanos) {
    long start = System.nanoTime();
    int index = -1;
    while (!closed && !writer.stopped() && System.nanoTime() - start < maxBlockNanos) {
      writer.published(thread);
      LockSupport.parkNanos(this, WAIT_NANOS);
      index = ring.claim(payloadBytes);
      if (index >= 0) {
        return index;
      }
    }
    ring.lose(epochNanos);
    writer.published(thread);
    return index;
  }

  @SuppressWarnings("ReferenceEquality") // identity is only the fast way: the map finds an equal session
  private byte[] nameOf(SessionId session) {
    if (session != lastSession) {
      byte[] name = names.get(session);
      if (name == null) {
        name = EventText.name(session, LONGEST_NAME);
        names.put(session, name);
      }
      lastSession = session;
      lastName = name;
    }
    return lastName;
  }

  /**
   * Returns how many messages and events were not logged, because the ring was full or the log was closed. Any thread.
   *
   * @return the number since the log was opened
   */
  public long notLogged() {
    return ring.lost() + writer.abandoned();
  }

  /**
   * Returns how many attempts to write, open, or delete a file have failed. Any thread.
   *
   * @return the number since the log was opened
   */
  public long failures() {
    return failures.count();
  }

  /** Writes the content of the ring, within {@link Builder#closeTimeout}, and ends the thread. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    writer.close(thread);
    if (joined()) {
      writer.abandonRest();
    } else {
      failures.ended("the FIX message log was closed, and its thread is still writing after " + closeTimeout);
    }
  }

  /** Waits for the end of the thread, even if the calling thread is interrupted. */
  private boolean joined() {
    long deadline = System.nanoTime() + Timeouts.nanos(closeTimeout);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          long left = deadline - System.nanoTime();
          return thread.join(Duration.ofNanos(Math.max(left, 0)));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  Thread thread() {
    return thread;
  }

  /** Returns true if all records are written and the writer sleeps. Any thread. */
  boolean isIdle() {
    return ring.head() == ring.tail() && ring.consumerState() == LogRing.SLEEPING
        && thread.getState() == Thread.State.WAITING;
  }

  /** Configures a log. One thread. */
  public static final class Builder {
    final Path folder;
    int ringBytes = 1 << 22;
    int maxMessageBytes = 1 << 16;
    long maxFileBytes = 1L << 28;
    int maxFiles = Integer.MAX_VALUE;
    Duration maxBlock = Duration.ZERO;
    Duration linger = Duration.ofMillis(10);
    Duration retryInterval = Duration.ofSeconds(1);
    Duration closeTimeout = Duration.ofSeconds(5);
    boolean keepSoh;
    boolean compress;
    boolean heartbeats = true;
    final TreeMap<Integer, Integer> masked = new TreeMap<>();
    AppendFile.Opener opener = AppendFile::open;
    System.Logger logger = System.getLogger("dev.decant.fix");

    private Builder(Path folder) {
      this.folder = folder;
      maskTag(554).maskTag(925).maskData(95, 96);
    }

    /**
     * Sets the size of the ring between the engine and the writer thread. Default 4 MiB.
     *
     * @param bytes 8,192 to 2^30, rounded up to a power of two
     * @return this
     */
    public Builder ringBytes(int bytes) {
      ringBytes = (int) checked("ringBytes", bytes, SMALLEST_RING, 1 << 30);
      return this;
    }

    /**
     * Sets how many bytes of a message are logged. Default 64 KiB; never more than about a quarter of the ring.
     *
     * @param bytes 64 to 2^28
     * @return this
     */
    public Builder maxMessageBytes(int bytes) {
      maxMessageBytes = (int) checked("maxMessageBytes", bytes, SMALLEST_MESSAGE, 1 << 28);
      return this;
    }

    /**
     * Sets the size that ends a file. Default 256 MiB.
     *
     * @param bytes 1 or more
     * @return this
     */
    public Builder maxFileBytes(long bytes) {
      maxFileBytes = checked("maxFileBytes", bytes, 1, Long.MAX_VALUE);
      return this;
    }

    /**
     * Sets how many files are kept, including the one in use. Default: all. Older ones are deleted when a new one
     * begins.
     *
     * @param files 1 or more
     * @return this
     */
    public Builder maxFiles(int files) {
      maxFiles = (int) checked("maxFiles", files, 1, Integer.MAX_VALUE);
      return this;
    }

    /**
     * Sets how long a call waits for room in a full ring before the message is not logged. Default 0, since a log must
     * not stop trading. No call waits while the files cannot be written.
     *
     * @param duration zero or more
     * @return this
     */
    public Builder maxBlock(Duration duration) {
      maxBlock = checked("maxBlock", duration);
      return this;
    }

    /**
     * Sets how long the writer thread gathers messages after a write. Default 10 ms. The first message after a pause is
     * written at once; later ones are in the file after this time at most.
     *
     * @param duration zero or more
     * @return this
     */
    public Builder linger(Duration duration) {
      linger = checked("linger", duration);
      return this;
    }

    /**
     * Sets how long the writer thread waits after a failure before it tries again. Default 1 s.
     *
     * @param duration zero or more
     * @return this
     */
    public Builder retryInterval(Duration duration) {
      retryInterval = checked("retryInterval", duration);
      return this;
    }

    /**
     * Sets how long {@link FileMessageLog#close} waits for the writer thread. Default 5 s.
     *
     * @param duration zero or more
     * @return this
     */
    public Builder closeTimeout(Duration duration) {
      closeTimeout = checked("closeTimeout", duration);
      return this;
    }

    /**
     * Sets whether SOH is written unchanged. Default false: {@code |} stands for it.
     *
     * @param keeps true for programs that read the files
     * @return this
     */
    public Builder keepSoh(boolean keeps) {
      keepSoh = keeps;
      return this;
    }

    /**
     * Sets whether finished files are compressed: {@code messages-20260314-0001.log.gz}, by a thread of the lowest
     * priority. Default false. {@link #maxFiles} counts them, too. A crash at any time leaves whole files, and the next
     * log of the folder compresses the rest.
     *
     * @param compresses true to compress
     * @return this
     */
    public Builder compress(boolean compresses) {
      compress = compresses;
      return this;
    }

    /**
     * Sets whether Heartbeat(0) messages are logged. Default true.
     *
     * @param logs false to leave them out
     * @return this
     */
    public Builder heartbeats(boolean logs) {
      heartbeats = logs;
      return this;
    }

    /**
     * Masks the values of a further tag.
     *
     * @param tag a field whose values have no SOH
     * @return this
     */
    public Builder maskTag(int tag) {
      masked.put((int) checked("tag", tag, 1, Masking.LARGEST_NUMBER), Masking.PLAIN);
      return this;
    }

    /**
     * Masks the values of a further data field, which may contain SOH.
     *
     * @param lengthTag the length field right before it, for example 1401
     * @param tag the data field, for example 1402
     * @return this
     */
    public Builder maskData(int lengthTag, int tag) {
      masked.put((int) checked("tag", tag, 1, Masking.LARGEST_NUMBER),
          (int) checked("lengthTag", lengthTag, 1, Masking.LARGEST_NUMBER));
      return this;
    }

    /** Replaces the file system and the logger, for tests. */
    Builder seams(AppendFile.Opener files, System.Logger failureLogger) {
      opener = files;
      logger = failureLogger;
      return this;
    }

    /** The message of a {@link java.nio.file.FileSystemException} may be the path alone, so the error has its class. */
    private FileChannel lockFile() throws IOException {
      try {
        Files.createDirectories(folder);
      } catch (IOException e) {
        throw new IOException("cannot make the folder " + folder + " of the message log: " + e, e);
      }
      try {
        return FileChannel.open(folder.resolve("messages.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new IOException("cannot lock the message log: " + e, e);
      }
    }

    /**
     * Opens the log.
     *
     * @return the log, whose thread runs
     * @throws IOException if the folder cannot be made or written, or if another log uses it
     */
    public FileMessageLog open() throws IOException {
      FileChannel lock = lockFile();
      try {
        if (lock.tryLock() == null) {
          throw new IOException("another process logs to " + folder + "; give each engine a folder of its own");
        }
        FileMessageLog log = new FileMessageLog(this, lock);
        log.thread.start();
        return log;
      } catch (OverlappingFileLockException e) {
        lock.close();
        throw new IOException("another log of this process writes to " + folder + "; give each a folder of its own", e);
      } catch (IOException | RuntimeException | Error e) {
        lock.close();
        throw e;
      }
    }

    private static long checked(String name, long value, long least, long most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(name + ": " + value + " is not within " + least + ".." + most);
      }
      return value;
    }

    private static Duration checked(String name, Duration value) {
      if (value.isNegative() || value.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
        throw new IllegalArgumentException(name + ": " + value + " is negative, or more than 292 years");
      }
      return value;
    }
  }
}
