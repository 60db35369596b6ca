package dev.decant.fix.session;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The output of a session, as slices for the socket: new messages and resent ones.
 *
 * <pre>
 *   ring     released     | held back during a replay
 *   replay                | resent, with session messages
 *   order    first, then  | last, when the replay is over and written
 * </pre>
 *
 * <p>A counterparty therefore receives the messages that it requested before later ones, and new numbers reach the
 * socket in order. A slice goes out when the one before it is written. Owner of the session only.
 */
public final class SessionOutput {
  private final OutboundMessages out;
  private final SessionLock lock;
  private final OutputRing ring;
  private final OutputBuffer replay;
  private final GuardedStore store;
  private final Departure departure;
  /** True if the slice at the socket is of the replay. */
  private boolean sliceIsReplay;

  SessionOutput(OutboundMessages out, SessionLock lock, OutputRing ring, OutputBuffer replay, GuardedStore store,
      Departure departure) {
    this.out = out;
    this.lock = lock;
    this.ring = ring;
    this.replay = replay;
    this.store = store;
    this.departure = departure;
  }

  /**
   * Returns true if no message is to be written now, and none is at the socket. Messages that are held back do not
   * count.
   */
  public boolean isEmpty() {
    return ring.isEmpty() && replay.isEmpty();
  }

  /** Returns true if {@link #takeSlice} has a slice to return: messages wait, and none are at the socket. */
  public boolean hasSlice() {
    return !sliceIsAtSocket() && (ring.hasSlice() || replay.hasSlice());
  }

  /**
   * Returns the bytes that wait, with those at the socket and those held back. Any thread may call this for new
   * messages; the count of resent ones is right for the owner only.
   */
  public long waitingBytes() {
    return ring.waitingBytes() + replay.waitingBytes();
  }

  /** Returns memory in which no message waits to the pool: the session is idle. */
  public void shrink() {
    lock.lock();
    try {
      ring.shrink();
    } finally {
      lock.unlock();
    }
  }

  private boolean sliceIsAtSocket() {
    return ring.sliceIsAtSocket() || replay.sliceIsAtSocket();
  }

  /**
   * Takes a slice to be written, and reports its messages to log and application. The memory stays unchanged until
   * {@link #sliceWritten}. Returns null if the store cannot commit now; then nothing may be written, see its failure.
   */
  public @Nullable ByteBuffer takeSlice() {
    sliceIsReplay = !ring.hasSlice();
    // The slice is taken before the commit: messages that arrive after it are not committed.
    ByteBuffer slice = sliceIsReplay ? replay.takeSlice() : ring.takeSlice();
    if (!store.commit()) {
      putBack();
      return null;
    }
    if (sliceIsReplay) {
      out.replayTaken();
    }
    departure.report(slice);
    return slice;
  }

  private void putBack() {
    if (sliceIsReplay) {
      replay.putBack();
    } else {
      ring.putBack();
    }
  }

  /** Removes the slice, which the socket has written. */
  public void sliceWritten() {
    if (sliceIsReplay) {
      replay.sliceWritten();
      out.replayWritten();
    } else {
      ring.sliceWritten();
    }
    departure.written();
  }

  /**
   * Returns the messages that are not written, for the end of a connection. Messages that were held back are among
   * them, since a Logout(5) may be behind them. The memory stays unchanged until {@link #clear} or {@link #renew}.
   */
  public OutputRest rest() {
    return out.rest();
  }

  /**
   * Returns the slices of a rest for the connection, which writes them after the slice at the socket. The list is empty
   * if the store cannot commit.
   */
  public List<ByteBuffer> take(OutputRest rest) {
    if (rest.isEmpty() || !store.commit()) {
      return List.of();
    }
    List<ByteBuffer> slices = rest.queue();
    slices.forEach(departure::report);
    return slices;
  }

  /** Discards all messages and leaves the memory to a connection that still writes from it. */
  public void renew() {
    lock.lock();
    try {
      ring.renew();
      departure.clear();
    } finally {
      lock.unlock();
    }
    replay.renew();
  }

  /** Discards all messages and returns the memory, when the connection has ended. */
  public void clear() {
    lock.lock();
    try {
      ring.clear();
      departure.clear();
    } finally {
      lock.unlock();
    }
    replay.clear();
  }
}
