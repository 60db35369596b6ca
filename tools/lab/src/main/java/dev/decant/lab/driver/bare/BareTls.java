package dev.decant.lab.driver.bare;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

/**
 * TLS with nothing around it: the JDK's engine over a blocking channel. TLS records are filled, several leave in one
 * write, and all that have arrived are decrypted into the reader's buffer. One thread at a time, except {@link #close}.
 * Only the engine allocates.
 */
final class BareTls implements ByteChannel {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final SocketChannel channel;
  private final SSLEngine engine;
  private final int packetBytes;
  private final int plainBytes;
  /** Encrypted bytes that have arrived and are not yet decrypted, from the position to the limit. */
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
  /** Decrypted bytes that did not fit into the reader's buffer. */
  private final ByteBuffer plain;

  /** Completes the handshake. Waits as long as the broker takes. */
  BareTls(SocketChannel channel, SSLEngine engine) throws IOException {
    this.channel = channel;
    this.engine = engine;
    packetBytes = engine.getSession().getPacketBufferSize();
    plainBytes = engine.getSession().getApplicationBufferSize();
    plain = ByteBuffer.allocateDirect(plainBytes).limit(0);
    in.limit(0);
    handshake();
  }

  private void handshake() throws IOException {
    engine.beginHandshake();
    ByteBuffer nothing = ByteBuffer.allocate(0);
    ByteBuffer unused = ByteBuffer.allocateDirect(plainBytes);
    HandshakeStatus status = engine.getHandshakeStatus();
    while (status != HandshakeStatus.FINISHED && status != HandshakeStatus.NOT_HANDSHAKING) {
      switch (status) {
        case NEED_TASK -> {
          for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
          }
          status = engine.getHandshakeStatus();
        }
        case NEED_WRAP -> {
          status = engine.wrap(nothing, out.clear()).getHandshakeStatus();
          writeOut();
        }
        default -> {
          SSLEngineResult result = engine.unwrap(in, unused);
          status = result.getHandshakeStatus();
          if (result.getStatus() == Status.BUFFER_UNDERFLOW && fill() < 0) {
            throw new EOFException("the broker has closed the connection in the handshake");
          }
        }
      }
    }
  }

  /** Encrypts and writes all remaining bytes. */
  @Override
  public int write(ByteBuffer source) throws IOException {
    int bytes = source.remaining();
    while (source.hasRemaining()) {
      out.clear();
      while (source.hasRemaining() && out.remaining() >= packetBytes) {
        SSLEngineResult result = engine.wrap(source, out);
        if (result.getStatus() != Status.OK) {
          throw new IOException("the engine writes nothing more: " + result.getStatus());
        }
      }
      writeOut();
    }
    return bytes;
  }

  private void writeOut() throws IOException {
    out.flip();
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  /**
   * Decrypts what has arrived, after one read if no whole TLS record is there; returns -1 if the broker has closed the
   * connection.
   */
  @Override
  public int read(ByteBuffer target) throws IOException {
    int before = target.position();
    takePlain(target);
    while (target.hasRemaining() && !plain.hasRemaining()) {
      boolean fits = target.remaining() >= plainBytes;
      SSLEngineResult result = engine.unwrap(in, fits ? target : plain.clear());
      if (!fits) {
        plain.flip();
        takePlain(target);
      }
      if (result.getStatus() == Status.CLOSED) {
        return -1;
      }
      if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
        if (target.position() > before) {
          break;
        }
        if (fill() < 0) {
          return -1;
        }
      }
    }
    return target.position() - before;
  }

  private void takePlain(ByteBuffer target) {
    int count = Math.min(plain.remaining(), target.remaining());
    target.put(target.position(), plain, plain.position(), count);
    target.position(target.position() + count);
    plain.position(plain.position() + count);
  }

  private int fill() throws IOException {
    in.compact();
    try {
      return channel.read(in);
    } finally {
      in.flip();
    }
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** Closes without TLS's close_notify: the lab's brokers do not wait for it. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
