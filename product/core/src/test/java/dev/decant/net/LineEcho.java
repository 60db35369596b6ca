package dev.decant.net;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The accepting side of a tiny protocol: it returns each line. It holds back a peer that
 * sends more than it reads, and closes one that reads nothing for a long time. A peer that has closed its side still
 * gets its lines.
 *
 * <p>Owner of the loop only.
 */
final class LineEcho implements Acceptor.Handler {
  /** A session stops reading when more bytes of output than this wait. */
  static final int MOST_PENDING = 256 * 1024;
  private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(10);

  final List<Session> sessions = new ArrayList<>();
  final List<Throwable> ends = new ArrayList<>();
  long mostPending;

  private final EventLoop loop;
  private final FrameMemory memory;
  private final long stallNanos;
  private final int maxLineBytes;

  LineEcho(EventLoop loop, BufferPool pool, long stallNanos, int maxLineBytes) {
    this.loop = loop;
    this.memory = new FrameMemory(loop, pool);
    this.stallNanos = stallNanos;
    this.maxLineBytes = maxLineBytes;
  }

  @Override
  public void onAccept(SocketTransport transport) {
    transport.authenticated(); // each peer may have lines echoed
    serve(transport);
  }

  /** Echoes the lines of a stream. */
  Session serve(Transport transport) {
    Session session = new Session(transport);
    sessions.add(session);
    session.connection.open();
    return session;
  }

  /** One peer. */
  final class Session implements Connection.Handler {
    final Connection connection;
    private final Timer stalled = new Timer(this::onStalled);
    private long writtenBefore;

    Session(Transport transport) {
      connection = new Connection(loop, transport, new LineFraming(), this, memory, maxLineBytes);
    }

    @Override
    public void onConnected() {}

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
      ByteBuffer line = ByteBuffer.allocateDirect(to - from);
      line.put(0, buffer, from, to - from);
      connection.queue(line);
      connection.flush();
      long pending = connection.bytesQueued() - connection.bytesWritten();
      mostPending = Math.max(mostPending, pending);
      if (pending > MOST_PENDING) {
        connection.holdReading(true);
        writtenBefore = connection.bytesWritten();
        loop.schedule(stalled, loop.nowNanos() + stallNanos);
      }
    }

    @Override
    public void onOutputWritten() {
      loop.cancel(stalled);
      connection.holdReading(false);
    }

    private void onStalled() {
      if (connection.bytesWritten() == writtenBefore) {
        connection.close(new IOException("the peer does not read"));
      } else {
        writtenBefore = connection.bytesWritten();
        loop.schedule(stalled, loop.nowNanos() + stallNanos);
      }
    }

    @Override
    public boolean onEndOfInput() {
      connection.closeAfterOutput(new IOException("the peer is done"), CLOSING_NANOS);
      return true;
    }

    @Override
    public void onClosed(Throwable cause) {
      loop.cancel(stalled);
      sessions.remove(this);
      ends.add(cause);
    }
  }
}
