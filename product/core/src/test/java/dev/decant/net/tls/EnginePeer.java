package dev.decant.net.tls;

import dev.decant.tls.TestCertificate;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

/** A client with the JDK's engine and a blocking socket, which sends the records of a test. */
final class EnginePeer implements AutoCloseable {
  private final SocketChannel channel;
  private final SSLEngine engine;
  private final ByteBuffer in = ByteBuffer.allocate(64 * 1024).limit(0);
  private final ByteBuffer plain = ByteBuffer.allocate(64 * 1024);
  private final ByteBuffer out = ByteBuffer.allocate(64 * 1024);

  private EnginePeer(SocketChannel channel, SSLEngine engine) {
    this.channel = channel;
    this.engine = engine;
  }

  /** Connects and shakes hands. */
  static EnginePeer connect(InetSocketAddress address, String version) throws Exception {
    SSLEngine engine = TestCertificate.jdkContext(TestCertificate.CLIENT, TestCertificate.AUTHORITY).createSSLEngine();
    engine.setUseClientMode(true);
    engine.setEnabledProtocols(new String[] {version});
    EnginePeer peer = new EnginePeer(SocketChannel.open(address), engine);
    peer.shakeHands();
    return peer;
  }

  private void shakeHands() throws IOException {
    engine.beginHandshake();
    while (true) {
      HandshakeStatus status = engine.getHandshakeStatus();
      switch (status) {
        case NEED_WRAP -> write(new byte[0]);
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> read();
        case NEED_TASK -> engine.getDelegatedTask().run();
        default -> {
          return;
        }
      }
    }
  }

  private void read() throws IOException {
    plain.clear();
    switch (engine.unwrap(in, plain).getStatus()) {
      case BUFFER_UNDERFLOW -> {
        in.compact();
        if (channel.read(in) < 0) {
          throw new IOException("the other side has closed");
        }
        in.flip();
      }
      case CLOSED -> throw new IOException("the other side has ended TLS");
      default -> {
      }
    }
  }

  /** Sends a KeyUpdate of TLS 1.3, which requests one from the other side. */
  void updateKeys() throws IOException {
    engine.beginHandshake();
    write(new byte[0]);
  }

  /** Sends the engine's own output, or one record with these bytes. */
  void write(byte[] bytes) throws IOException {
    out.clear();
    engine.wrap(ByteBuffer.wrap(bytes), out);
    out.flip();
    try {
      while (out.hasRemaining()) {
        channel.write(out);
      }
    } catch (IOException e) {
      // The other side has ended the connection, which its own checks assert.
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
