package dev.decant.fix.log;

import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * The work of the writer thread. It takes records out of the ring, formats them as lines, and writes all available ones
 * together. Then it lingers: an active session costs one write per linger time, and no wake-ups. If a linger time
 * brings no record, it sleeps until the producer wakes it.
 *
 * <p>No wake-up is lost. The producer publishes a record, then reads the consumer's state. The writer sets its state,
 * then reads the ring. So one of the two sees the other.
 *
 * <p>While a file cannot be written, the writer keeps its lines and tries again at intervals. The ring fills, and
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

  /** True if the last write has failed, or the thread has ended. Written by the writer, read by any thread. */
  private volatile boolean stopped;
  /** True when the thread must write the rest and end. Written by the closing thread. */
  private volatile boolean closing;
  /** Messages taken from the ring and never written. Read by any thread. */
  private volatile long abandoned;

  // Writer only.
  /** Bytes of finished lines in {@link #out}. */
  private int pending;
  /** Lost messages that were reported: by a line in {@link #out} or in a file, and by a line in a file. */
  private long lostReported;
  /** Lost messages that a line in a file reports. */
  private long lostWritten;
  /** Lines in {@link #out} that report lost messages. They do not count as messages. */
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

  /** Wakes the writer if it sleeps, or if the ring fills while it lingers. Producer only. */
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

  /** Returns true if nothing can be written now. Any thread. */
  boolean stopped() {
    return stopped;
  }

  /** Returns how many accepted messages were not written. Any thread. */
  long abandoned() {
    return abandoned;
  }

  /** Makes the thread write the rest and end. */
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
    } catch (Throwable e) { // A defect, or no memory.
      failures.ended("the FIX message log ends: " + e);
    } finally {
      stopped = true;
      abandonRest();
      closeFile();
    }
  }

  private void pause(int kind) {
    ring.consumerState(kind);
    boolean idle = ring.tail() == ring.head() && ring.lost() == lostReported;
    if (!closing && kind == LogRing.LINGERING && ring.tail() - ring.head() <= ring.capacity() / 2) {
      LockSupport.parkNanos(this, lingerNanos);
    } else if (!closing && idle) {
      LockSupport.park(this);
    }
    ring.consumerState(LogRing.WORKING);
    Thread.interrupted(); // An interrupt would close the file. No code of the log interrupts this thread.
  }

  /** Writes the whole content of the ring. Returns false if the log was closed before the end. */
  private boolean drain() {
    long lost = ring.lost(); // The losses are read before the tail, so that each is reported in its place, see LogRing.
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
    return (lost <= lostReported || reportLoss(lost, ring.lostEpochNanos(), p)) && (pending == 0 || flush());
  }

  private boolean line(int index, long position) {
    long lost = ring.lostSoFar(index);
    long epochNanos = ring.epochNanos(index);
    if (lost > lostReported && !reportLoss(lost, epochNanos, position)) {
      return false;
    }
    int size = ring.nameLength(index) + LineFormatter.FRAME_BYTES + ring.loggedLength(index) * LineFormatter.GROWTH;
    if (!ensureRoom(size, epochNanos, position)) {
      return false;
    }
    pending = formatter.record(ring, index, out, pending);
    return true;
  }

  private boolean reportLoss(long lost, long epochNanos, long position) {
    if (!ensureRoom(LineFormatter.FRAME_BYTES, epochNanos, position)) {
      return false;
    }
    pending = formatter.lost(lost - lostReported, epochNanos, out, pending);
    lostReported = lost;
    linesOfLoss++;
    return true;
  }

  /** Makes room for a line, in the file that it belongs to. */
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
    lostWritten = lostReported;
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

  /** Waits before another attempt. Returns false if the log is closed and no attempt follows. */
  private boolean retriesAfter(IOException e, boolean last) {
    stopped = true;
    failures.failed("the FIX message log " + file + " cannot be written", e, System.nanoTime());
    Thread.interrupted(); // The interrupt flag would close the file again.
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

  /** Counts the messages that will never be written. Called by the writer at its end; later by the producer. */
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
