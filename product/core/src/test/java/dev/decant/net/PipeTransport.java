package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * One end of a pipe in memory, instead of a socket. Bytes written to one end are read from the other; each direction
 * holds a bounded number of them. Readiness is level-triggered, as a selector's is, and reported by a task of the loop.
 * Both ends belong to one loop, and only its owner may touch them. The test itself uses an end without a connection by
 * {@link #put} and {@link #take}.
 */
final class PipeTransport implements Transport {
  private final Direction in;
  private final Direction out;
  private final PipeTransport peer;

  private @Nullable EventLoop loop;
  private @Nullable ReadyListener listener;
  private boolean wantsReadable = true;
  private boolean wantsWritable;
  private boolean connected;
  private boolean reportIsDue;
  private boolean closed;
  private boolean cut;

  private boolean connectIsHeld;
  private @Nullable IOException refusal;
  private int maxBytesPerRead = Integer.MAX_VALUE;
  private int maxBytesPerWrite = Integer.MAX_VALUE;
  private @Nullable Random slices;
  private boolean drained = true;
  private int reads;
  private int writes;

  /** Makes a pipe and returns one end; the other is its {@link #peer()}. */
  PipeTransport(int capacityBytes) {
    in = new Direction(capacityBytes);
    out = new Direction(capacityBytes);
    peer = new PipeTransport(this);
  }

  private PipeTransport(PipeTransport peer) {
    in = peer.out;
    out = peer.in;
    this.peer = peer;
  }

  PipeTransport peer() {
    return peer;
  }

  // Methods of the test on an end.

  void limitBytesPerRead(int bytes) {
    maxBytesPerRead = bytes;
  }

  void limitBytesPerWrite(int bytes) {
    maxBytesPerWrite = bytes;
  }

  /** Makes each read and write of this end move a random number of bytes, mostly small ones. */
  void sliceByChance(Random random) {
    slices = random;
  }

  private int slice(int most) {
    Random random = slices;
    return random == null ? most : Math.min(most, 1 + random.nextInt(1 << random.nextInt(12)));
  }

  /** Lets this end's connecting hang until {@link #finishConnecting()} or {@link #refuse}. */
  void holdConnect() {
    connectIsHeld = true;
  }

  void finishConnecting() {
    connectIsHeld = false;
    reportSoon();
  }

  /** Makes this end's connecting fail. */
  void refuse(IOException cause) {
    refusal = cause;
    reportSoon();
  }

  /** Breaks the link: what is under way is lost, and both ends fail at the next read or write. */
  void cutLink() {
    cut = true;
    peer.cut = true;
    reportSoon();
    peer.reportSoon();
  }

  /** Returns how often the connection has tried to read. */
  int reads() {
    return reads;
  }

  /** Returns how often the connection has tried to write. */
  int writes() {
    return writes;
  }

  /** Returns the bytes that this end has written and the other has not read. */
  int pending() {
    return out.size;
  }

  boolean isClosed() {
    return closed;
  }

  /** Writes as many of the bytes as there is room for, and returns how many. */
  int put(byte[] bytes, int from) {
    int taken = out.put(ByteBuffer.wrap(bytes, from, bytes.length - from), Integer.MAX_VALUE);
    peer.reportSoon();
    return taken;
  }

  /** Reads available bytes, up to a number. */
  byte[] take(int maxBytes) {
    byte[] bytes = new byte[Math.min(maxBytes, in.size)];
    in.take(ByteBuffer.wrap(bytes), maxBytes);
    peer.reportSoon();
    return bytes;
  }

  // Methods of the transport.

  @Override
  public void register(EventLoop ownLoop, ReadyListener user) {
    loop = ownLoop;
    listener = user;
    reportSoon();
  }

  @Override
  public boolean establish() throws IOException {
    if (refusal != null) {
      throw refusal;
    }
    connected = !connectIsHeld;
    return connected;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    requireLink();
    reads++;
    int taken = in.take(target, slice(maxBytesPerRead));
    drained = target.hasRemaining() && in.size == 0;
    if (taken == 0 && in.ended && target.hasRemaining()) {
      return -1;
    }
    peer.reportSoon();
    return taken;
  }

  @Override
  public boolean isDrained() {
    return drained;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    requireLink();
    if (peer.closed) {
      throw new IOException("broken pipe");
    }
    writes++;
    int most = slice(maxBytesPerWrite);
    int left = most;
    for (int i = offset; i < offset + length && left > 0; i++) {
      left -= out.put(sources[i], left);
    }
    peer.reportSoon();
    return (long) most - left;
  }

  private void requireLink() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (cut) {
      throw new IOException("the link was cut");
    }
  }

  @Override
  public void reportWritable(boolean wanted) {
    wantsWritable = wanted;
    reportSoon();
  }

  @Override
  public void reportReadable(boolean wanted) {
    wantsReadable = wanted;
    reportSoon();
  }

  @Override
  public void shutdownOutput() {
    out.ended = true;
    peer.reportSoon();
  }

  @Override
  public void close() {
    closed = true;
    out.ended = true;
    peer.reportSoon();
  }

  private void reportSoon() {
    if (loop != null && !reportIsDue && readyOperations() != 0) {
      reportIsDue = true;
      loop.execute(this::report);
    }
  }

  private void report() {
    reportIsDue = false;
    int ready = readyOperations();
    if (ready != 0 && listener != null) {
      listener.onReady(ready);
      reportSoon();
    }
  }

  private int readyOperations() {
    if (closed) {
      return 0;
    }
    if (!connected) {
      return connectIsHeld && refusal == null ? 0 : SelectionKey.OP_CONNECT;
    }
    int readable = wantsReadable && (in.size > 0 || in.ended || cut) ? SelectionKey.OP_READ : 0;
    int writable = wantsWritable && (out.size < out.bytes.length || cut) ? SelectionKey.OP_WRITE : 0;
    return readable | writable;
  }

  /** Bytes on their way from one end to the other. */
  private static final class Direction {
    private final byte[] bytes;
    private int head;
    private int size;
    private boolean ended;

    Direction(int capacityBytes) {
      bytes = new byte[capacityBytes];
    }

    int put(ByteBuffer source, int maxBytes) {
      int count = Math.min(Math.min(source.remaining(), maxBytes), bytes.length - size);
      for (int i = 0; i < count; i++) {
        bytes[(head + size++) % bytes.length] = source.get();
      }
      return count;
    }

    int take(ByteBuffer target, int maxBytes) {
      int count = Math.min(Math.min(target.remaining(), maxBytes), size);
      for (int i = 0; i < count; i++) {
        target.put(bytes[head]);
        head = (head + 1) % bytes.length;
      }
      size -= count;
      return count;
    }
  }
}
