package dev.decant.fix.log;

import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * The writer thread's work: it takes records out of the ring, makes lines of them, and writes as many together as there
 * are. Then it lingers for a moment, so that a session at work costs it a write for each linger time and no wake-ups.
 * When a linger time brings nothing it sleeps until the producer wakes it.
 *
 * <p>The producer publishes first and reads the consumer's state then; the writer announces its sleep first and reads
 * the ring then. So one of the two sees the other.
 *
 * <p>While a file cannot be written the writer holds what it has and tries again at intervals. The ring fills, and the
 * messages that find no room are counted.
 */
final class LogWriter implements Runnable {
  private static final int SMALLEST_BUFFER = 1 << 16;

  private final LogRing ring;
  private final LineFormatter formatter;
  private final RollingFile file;
  private final LogFailures failures;
  private final long lingerNanos;
  private final long retryNanos;
  private final ByteBuffer out;

  /** The last write has failed, or the thread has ended. */
  private volatile boolean stopped;
  private volatile boolean closing;
  /** Messages that were taken out of the ring and never written. */
  private volatile long abandoned;

  // Writer only.
  /** Bytes of finished lines in {@link #out}. */
  private int pending;
  /** Lost messages that a line in {@link #out} or in a file tells of; in a file. */
  private long lostTold;
  private long lostWritten;
  /** Lines in {@link #out} that tell of lost messages, and are none themselves. */
  private int linesOfLoss;

  LogWriter(LogRing ring, LineFormatter formatter, RollingFile file, LogFailures failures,
      FileMessageLog.Builder settings) {
    this.ring = ring;
    this.formatter = formatter;
    this.file = file;
    this.failures = failures;
    lingerNanos = Timeouts.nanos(settings.linger);
    retryNanos = Timeouts.nanos(settings.retryInterval);
    out = ByteBuffer.allocateDirect(Math.max(SMALLEST_BUFFER, lineBytes(settings.maxMessageBytes)));
  }

  private static int lineBytes(int messageBytes) {
    return FileMessageLog.LONGEST_NAME + LineFormatter.FRAME_BYTES + messageBytes * LineFormatter.GROWTH;
  }

  /** Producer: wakes the writer if it sleeps, or if the ring fills while it lingers. */
  void published(Thread thread) {
    int seen = ring.consumerState();
    if (seen != LogRing.WORKING && (seen == LogRing.SLEEPING || isHalfFull()) && ring.wakeConsumer(seen)) {
      LockSupport.unpark(thread);
    }
  }

  private boolean isHalfFull() {
    int half = ring.capacity() / 2;
    return ring.used(half) > half;
  }

  /** Whether nothing can be written now; any thread. */
  boolean stopped() {
    return stopped;
  }

  /** Messages that were taken over and not written; any thread. */
  long abandoned() {
    return abandoned;
  }

  /** Makes the thread write what there is, and end. */
  void close(Thread thread) {
    closing = true;
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    try {
      boolean last;
      boolean written;
      do {
        last = closing;
        long before = ring.head();
        written = drain();
        if (written && !last) {
          pause(before == ring.head() ? LogRing.SLEEPING : LogRing.LINGERING);
        }
      } while (written && !last);
    } catch (Throwable e) { // a defect, or no memory
      failures.ended("the FIX message log ends: " + e);
    } finally {
      stopped = true;
      abandonRest();
      closeFile();
    }
  }

  private void pause(int kind) {
    ring.consumerState(kind);
    boolean idle = ring.tail() == ring.head() && ring.lost() == lostTold;
    if (!closing && kind == LogRing.LINGERING && ring.tail() - ring.head() <= ring.capacity() / 2) {
      LockSupport.parkNanos(this, lingerNanos);
    } else if (!closing && idle) {
      LockSupport.park(this);
    }
    ring.consumerState(LogRing.WORKING);
    Thread.interrupted(); // nobody has a reason to interrupt this thread, and its file would be closed
  }

  /** Writes all that is in the ring; false if the log was closed before it could. */
  private boolean drain() {
    long lost = ring.lost(); // before the tail, see the ring
    long end = ring.tail();
    long p = ring.head();
    while (p < end) {
      int index = ring.index(p);
      if (ring.kind(index) != LogRing.PADDING && !line(index, p)) {
        return false;
      }
      p += ring.length(index);
    }
    ring.release(p);
    return (lost <= lostTold || tellOfLoss(lost, ring.lostEpochNanos(), p)) && (pending == 0 || flush());
  }

  private boolean line(int index, long position) {
    long lost = ring.lostSoFar(index);
    long epochNanos = ring.epochNanos(index);
    if (lost > lostTold && !tellOfLoss(lost, epochNanos, position)) {
      return false;
    }
    int size = ring.nameLength(index) + LineFormatter.FRAME_BYTES + ring.loggedLength(index) * LineFormatter.GROWTH;
    if (!ensureRoom(size, epochNanos, position)) {
      return false;
    }
    pending = formatter.record(ring, index, out, pending);
    return true;
  }

  private boolean tellOfLoss(long lost, long epochNanos, long position) {
    if (!ensureRoom(LineFormatter.FRAME_BYTES, epochNanos, position)) {
      return false;
    }
    pending = formatter.lost(lost - lostTold, epochNanos, out, pending);
    lostTold = lost;
    linesOfLoss++;
    return true;
  }

  /** Makes room for a line, in the file where it belongs. */
  private boolean ensureRoom(int bytes, long epochNanos, long position) {
    long day = Math.floorDiv(epochNanos, LineFormatter.NANOS_PER_DAY);
    boolean rolls = file.rollsAt(day, pending);
    if (rolls || bytes > out.capacity() - pending) {
      ring.release(position);
      return (pending == 0 || flush()) && (!rolls || roll(day));
    }
    return true;
  }

  private boolean flush() {
    out.limit(pending).position(0);
    while (out.hasRemaining()) {
      boolean last = closing;
      try {
        file.write(out);
      } catch (IOException e) {
        if (!retriesAfter(e, last)) {
          return false;
        }
      }
    }
    out.clear();
    pending = 0;
    linesOfLoss = 0;
    lostWritten = lostTold;
    wentWell();
    return true;
  }

  private boolean roll(long day) {
    while (true) {
      boolean last = closing;
      try {
        file.rollTo(day);
        return true;
      } catch (IOException e) {
        if (!retriesAfter(e, last)) {
          return false;
        }
      }
    }
  }

  /** Waits for a better time; false if the log is closed and there will be none. */
  private boolean retriesAfter(IOException e, boolean last) {
    stopped = true;
    failures.failed("the FIX message log " + file + " cannot be written", e, System.nanoTime());
    Thread.interrupted(); // which would close the file again
    if (!last && !closing) {
      LockSupport.parkNanos(this, retryNanos);
    }
    return !last;
  }

  private void wentWell() {
    if (stopped) {
      stopped = false;
      failures.recovered();
    }
  }

  /** Counts what will never be written. The writer as it ends; again the producer, when the thread has ended. */
  void abandonRest() {
    long messages = 0;
    for (int i = out.position(); pending > 0 && i < pending; i++) {
      messages += out.get(i) == '\n' ? 1 : 0;
    }
    if (out.position() == 0) {
      messages -= linesOfLoss;
    }
    long end = ring.tail();
    long p = ring.head();
    while (p < end) {
      int index = ring.index(p);
      messages += ring.kind(index) == LogRing.PADDING ? 0 : 1;
      p += ring.length(index);
    }
    if (messages > abandoned) {
      abandoned = messages;
      failures.ended("the FIX message log ended, and up to " + (messages + ring.lost() - lostWritten)
          + " messages were not logged");
    }
  }

  private void closeFile() {
    try {
      file.close();
    } catch (IOException e) {
      failures.report("the FIX message log " + file + " cannot be closed", e, System.nanoTime());
    }
  }
}
