package dev.decant.net;

import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection within the process, without file descriptor and port. One end reads the bytes that the other
 * end writes; each direction holds a bounded number of bytes. The ends may be on two loops or on one.
 *
 * <p>Readiness is level-triggered, as a selector's is. An end is an {@link Agent} of its loop. The other end marks it
 * and signals its loop, which allocates nothing, and wakes the loop only if it sleeps.
 *
 * <p>An end that closes behaves like a socket: the other end reads all that was written before, then the end of the
 * stream, and its writes fail. In contrast to a socket, closing with unread bytes resets nothing.
 *
 * <p>Owner of the loop only; before {@link #register}, the thread that has the end.
 */
public final class MemoryTransport implements Transport {
  private static final int CAPACITY_BYTES = 64 * 1024;

  private final MemoryPipe in;
  private final MemoryPipe out;
  private final MemoryTransport peer;
  /** Reports readiness if the end is marked. Called once in each round of the loop. */
  private final Agent agent = this::reportIfMarked;
  private final Runnable inlineReport = this::reportIfMarked;

  /** The loop of this end. Set by {@link #register}; read by the other end's thread. */
  private volatile @Nullable EventLoop loop;
  /** True if bytes or room may be ready. Set by either thread; the owner of the loop clears it before it checks. */
  private volatile boolean isMarked;
  /** True if this end is closed, so it needs no signal. Set by the owner; read by the other end's thread. */
  private volatile boolean isClosed;
  private @Nullable ReadyListener listener;
  private boolean wantsReadable = true;
  private boolean wantsWritable;
  private boolean isDrained = true;
  /** True if the other end's thread may serve this end. Set before the end is registered. */
  private boolean isServedInline;

  private MemoryTransport(int capacity) {
    in = new MemoryPipe(capacity);
    out = new MemoryPipe(capacity);
    peer = new MemoryTransport(this);
  }

  private MemoryTransport(MemoryTransport peer) {
    this.in = peer.out;
    this.out = peer.in;
    this.peer = peer;
  }

  /**
   * Makes a connection that is established from the beginning.
   *
   * @return one end; the other one is its {@link #peer()}
   */
  public static MemoryTransport open() {
    return new MemoryTransport(CAPACITY_BYTES);
  }

  /** Makes a connection with another bound for the bytes of each direction. */
  static MemoryTransport open(int capacityBytes) {
    return new MemoryTransport(capacityBytes);
  }

  /** Returns the other end. It belongs to another owner as soon as that one has registered it. */
  public MemoryTransport peer() {
    return peer;
  }

  /**
   * Lets the thread that owns the other end serve this one, too, while the owner of this end's loop sleeps. A request
   * is then served before the write that completes it returns ({@link EventLoop#tryRun}). Call it before {@link
   * #register}. The listener must work within an inline run.
   */
  public void serveInline() {
    isServedInline = true;
  }

  @Override
  public void register(EventLoop ownLoop, ReadyListener user) throws IOException {
    requireOpen();
    listener = user;
    loop = ownLoop;
    ownLoop.add(agent);
    isMarked = false;
    mark(); // the other end may have written before this end had a loop to signal
  }

  @Override
  public boolean establish() {
    return true;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    requireOpen();
    int read = in.read(target);
    isDrained = target.hasRemaining();
    if (read > 0) {
      if (in.takeRoomReport()) {
        peer.mark();
      }
      markIfReady(); // no report announces the remaining bytes
    }
    return read;
  }

  @Override
  public boolean isDrained() {
    return isDrained;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    requireOpen();
    int written = out.write(sources, offset, length);
    if (written > 0) {
      peer.mark();
    }
    return written;
  }

  @Override
  public void reportWritable(boolean wanted) {
    wantsWritable = wanted;
    if (out.awaitRoom(wanted)) {
      mark();
    }
  }

  @Override
  public void reportReadable(boolean wanted) {
    wantsReadable = wanted;
    markIfReady();
  }

  @Override
  public void shutdownOutput() {
    out.end();
    peer.mark();
  }

  /** Closes this end. The two ends may close in any order. The listener is not called any more. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    out.end();
    in.breakOff();
    peer.mark();
    EventLoop own = loop;
    if (own != null) {
      own.execute(() -> own.remove(agent)); // not now: the caller may be an agent of this round
    }
  }

  private void requireOpen() throws IOException {
    if (isClosed) {
      throw new ClosedChannelException();
    }
  }

  /** Makes the owner check this end in its next round. Any thread. */
  private void mark() {
    // A marked end has not been checked since it was marked. Either its owner clears the mark after this read and then
    // sees the earlier change, or the mark is clear already and is set here.
    if (isMarked || isClosed) {
      return;
    }
    isMarked = true;
    EventLoop own = loop;
    if (own != null && !(isServedInline && own.tryRun(inlineReport))) { // without a loop, register() marks it again
      own.signal();
    }
  }

  private void markIfReady() {
    if (readyOperations() != 0) {
      mark();
    }
  }

  private int readyOperations() {
    int readable = wantsReadable && in.isReadable() ? SelectionKey.OP_READ : 0;
    int writable = wantsWritable && out.isWritable() ? SelectionKey.OP_WRITE : 0;
    return isClosed ? 0 : readable | writable;
  }

  private int reportIfMarked() {
    if (!isMarked) {
      return 0;
    }
    isMarked = false;
    int ready = readyOperations();
    ReadyListener user = listener;
    if (ready == 0 || user == null) {
      return 0;
    }
    try {
      return user.onReady(ready);
    } finally {
      markIfReady();
      // A selector reports before the agents of a round run. This end is an agent itself, and those before it in the
      // round have not seen what it has received: a consumer's first fetch waited for the next heartbeat.
      EventLoop own = loop;
      if (own != null) {
        own.signal();
      }
    }
  }
}
