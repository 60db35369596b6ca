package dev.decant.testkit.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * One direction of a connection: a virtual thread that reads, one that writes, and a bounded queue between them. So
 * latency costs no bandwidth. Bytes that are held back fill the sender's buffers, as in a real network.
 */
final class Lane {
  private static final int PIECE_BYTES = 8 * 1024;
  private static final int QUEUED_PIECES = 8;

  /** The bytes of one read, or the end of the stream. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Piece(byte[] bytes, int length, long readNanos) {

    static final int END = -1;
    static final int RESET = -2;

    static Piece last(int kind) {
      return new Piece(new byte[0], kind, System.nanoTime());
    }
  }

  private final ProxiedConnection connection;
  private final Socket from;
  private final Socket to;
  private final LaneFaults faults;
  private final Random random;
  private final ArrayBlockingQueue<Piece> queue = new ArrayBlockingQueue<>(QUEUED_PIECES);
  private final Thread reader;
  private final Thread writer;
  private volatile boolean hasLost;

  Lane(ProxiedConnection connection, Socket from, Socket to, LaneFaults faults, Random random) {
    this.connection = connection;
    this.from = from;
    this.to = to;
    this.faults = faults;
    this.random = random;
    this.reader = Thread.ofVirtual().name("proxy-reader").unstarted(this::read);
    this.writer = Thread.ofVirtual().name("proxy-writer").unstarted(this::write);
  }

  void start() {
    reader.start();
    writer.start();
  }

  /** Interrupts both threads. The connection closes the sockets. */
  void interrupt() {
    reader.interrupt();
    writer.interrupt();
  }

  /**
   * Returns true if bytes were lost. A TCP stream has no gaps, so the connection then ends when the proxy is healed.
   */
  boolean hasLost() {
    return hasLost;
  }

  private void read() {
    try {
      queue.put(Piece.last(readAll()));
    } catch (InterruptedException e) {
      // The connection is closed.
    }
  }

  private int readAll() throws InterruptedException {
    try {
      InputStream in = from.getInputStream();
      while (true) {
        byte[] bytes = new byte[PIECE_BYTES];
        int length = in.read(bytes);
        if (length < 0) {
          return Piece.END;
        }
        queue.put(new Piece(bytes, length, System.nanoTime()));
      }
    } catch (IOException e) {
      return Piece.RESET;
    }
  }

  private void write() {
    try {
      OutputStream out = to.getOutputStream();
      Piece piece = queue.take();
      for (; piece.length > 0; piece = queue.take()) {
        if (!forward(piece, out)) {
          return;
        }
      }
      end(piece);
    } catch (InterruptedException e) {
      // The connection is closed.
    } catch (IOException e) {
      // The thread that reads from that socket will fail, too, and end the other side.
      reader.interrupt();
      connection.laneEnded();
    }
  }

  /** Forwards a piece; returns false if the connection was reset. */
  private boolean forward(Piece piece, OutputStream out) throws InterruptedException, IOException {
    for (int at = 0; at < piece.length;) {
      if (!faults.awaitPassage(piece.readNanos)) {
        hasLost = true;
        return true;
      }
      if (hasLost) {
        connection.reset();
        return false;
      }
      int most = Math.min(piece.length - at, faults.largestPiece());
      int slice = faults.largestSlice();
      int length = slice <= most ? 1 + random.nextInt(slice) : most;
      faults.awaitBandwidth(length);
      faults.mutate(piece.bytes, at, length, random);
      out.write(piece.bytes, at, length);
      at += length;
    }
    return true;
  }

  private void end(Piece last) throws InterruptedException, IOException {
    if (!faults.awaitPassage(last.readNanos)) {
      hasLost = true; // the other side never learns of the end
      return;
    }
    if (hasLost || last.length == Piece.RESET) {
      connection.reset();
      return;
    }
    faults.awaitClose(last.readNanos);
    to.shutdownOutput();
    connection.laneEnded();
  }
}
