package dev.decant.fix.session;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a session sends, as slices for the socket: messages under new numbers, and messages that are sent again.
 *
 * <pre>
 *   ring     released     | held back while messages are sent again
 *   replay                | sent again, with the session's own messages
 *   order    first, then  | last, when the replay is over and written
 * </pre>
 *
 * <p>So a counterparty that asks for missing messages gets them before later ones, and new numbers reach the socket in
 * their order. The next slice goes when the one before it is written. Owner of the session only.
 */
public final class SessionOutput {
  private final SessionLock lock;
  private final OutputRing ring;
  private final OutputBuffer replay;
  private final GuardedStore store;
  private final Departure departure;
  private boolean sliceIsReplay;

  SessionOutput(SessionLock lock, OutputRing ring, OutputBuffer replay, GuardedStore store, Departure departure) {
    this.lock = lock;
    this.ring = ring;
    this.replay = replay;
    this.store = store;
    this.departure = departure;
  }

  /**
   * Tells whether there is anything to be written now.
   *
   * @return true if a slice is at the socket, or could be; what is held back does not count
   */
  public boolean isEmpty() {
    return ring.isEmpty() && replay.isEmpty();
  }

  /**
   * Tells whether {@link #takeSlice} would give something.
   *
   * @return false while a slice is at the socket, or nothing is there
   */
  public boolean hasSlice() {
    return !sliceIsAtSocket() && (ring.hasSlice() || replay.hasSlice());
  }

  /**
   * How much waits to be written, with what is at the socket and what is held back. Any thread for messages under new
   * numbers; those that are sent again count for the owner alone.
   *
   * @return bytes
   */
  public long waitingBytes() {
    return ring.waitingBytes() + replay.waitingBytes();
  }

  /** Gives memory back that nothing waits in: the session is idle. */
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
   * Takes messages that are there, to be written, and tells log and application of them. Their memory stays untouched
   * until {@link #sliceWritten}.
   *
   * @return from position to limit; one of two objects. Null if the store cannot commit now, so that nothing may be
   *     written: see its failure
   */
  public @Nullable ByteBuffer takeSlice() {
    sliceIsReplay = !ring.hasSlice();
    ByteBuffer slice = sliceIsReplay ? replay.takeSlice() : ring.takeSlice(); // what comes later is not committed
    if (!store.commit()) {
      putBack();
      return null;
    }
    departure.tell(slice);
    return slice;
  }

  private void putBack() {
    if (sliceIsReplay) {
      replay.putBack();
    } else {
      ring.putBack();
    }
  }

  /** The slice is written. */
  public void sliceWritten() {
    if (sliceIsReplay) {
      replay.sliceWritten();
    } else {
      ring.sliceWritten();
    }
    departure.written();
  }

  /**
   * The messages behind the slice at the socket, for the end of a connection: with those that were held back, since a
   * Logout(5) may be behind them. The memory stays untouched until {@link #renew}.
   *
   * @return each from position to limit, new objects; none if the store cannot commit
   */
  public List<ByteBuffer> takeRest() {
    List<ByteBuffer> rest = rest();
    if (rest.isEmpty() || !store.commit()) {
      return List.of();
    }
    rest.forEach(departure::tell);
    return rest;
  }

  private List<ByteBuffer> rest() {
    List<ByteBuffer> rest = new ArrayList<>();
    long held = ring.addRest(rest, ring.restFrom());
    ByteBuffer again = replay.rest();
    if (again.hasRemaining()) {
      rest.add(again);
    }
    ring.release();
    ring.addRest(rest, held);
    return rest;
  }

  /** Forgets everything, and leaves the memory to a connection that has not written all of it. */
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

  /** Forgets everything: the connection has ended. */
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
