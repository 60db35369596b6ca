package dev.decant.net.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.loop.EventLoop;
import dev.decant.net.Acceptor;
import dev.decant.net.FrameMemory;
import dev.decant.net.SocketTransport;
import dev.decant.time.Clock;
import dev.decant.tls.TestCertificate;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A loop with memory for TLS connections over sockets; at the end all memory must have returned. */
final class TlsWorld implements AutoCloseable {
  /**
   * The acceptor's timeout. By default unauthenticated connections are closed after 10 s, and a slow test would miss
   * bytes.
   */
  private static final Acceptor.Limits FOR_LONG = new Acceptor.Limits(1_024, 256, 128, TimeUnit.MINUTES.toNanos(5));

  final EventLoop loop = EventLoop.start("tls-loop", Clock.system());
  final BufferPool pool;
  final TlsMemory memory;
  final BlockingQueue<TlsSide> accepted = new LinkedBlockingQueue<>();
  private final BufferPool framePool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final FrameMemory frameMemory = new FrameMemory(loop, framePool);

  TlsWorld() {
    this(2 << 20);
  }

  TlsWorld(long poolBytes) {
    pool = new BufferPool(poolBytes, BufferPool.DEFAULT_CHUNK_BYTES, true);
    memory = new TlsMemory(loop, pool);
  }

  static TlsSettings.Builder clientSettings() {
    return TlsSettings.builder().trust(TestCertificate.AUTHORITY.trust()).handshakeTimeout(Duration.ofSeconds(20));
  }

  static TlsSettings.Builder serverSettings() {
    return TlsSettings.builder().keys(TestCertificate.SERVER.keys()).trust(TestCertificate.AUTHORITY.trust())
        .handshakeTimeout(Duration.ofSeconds(20));
  }

  static TlsContext load(TlsSettings.Builder settings) {
    try {
      return TlsContext.load(settings.build());
    } catch (TlsKeyException e) {
      throw new AssertionError(e);
    }
  }

  TlsSide connect(TlsContext context, String host, int port) throws IOException {
    SocketTransport socket = SocketTransport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return new TlsSide(loop, TlsTransport.client(context, socket, host, port, memory), frameMemory);
  }

  /** Accepts TLS connections, which stay unauthenticated; the test finds them in {@link #accepted}. */
  Acceptor serve(TlsContext context, Consumer<TlsSide> each) throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return Acceptor.bind(loop, new Acceptor.Settings(anyPort, 128, 16, false, FOR_LONG),
        socket -> {
          TlsSide side = new TlsSide(loop, TlsTransport.server(context, socket, memory), frameMemory);
          each.accept(side);
          accepted.add(side);
          side.connection.open();
        });
  }

  TlsSide nextAccepted() throws InterruptedException {
    TlsSide side = accepted.poll(20, TimeUnit.SECONDS);
    if (side == null) {
      throw new AssertionError("nobody connected in time");
    }
    return side;
  }

  /** Waits for the end of all connections, which the test has closed: then no memory is leased. */
  @Override
  public void close() {
    loop.close();
    assertThat(pool.leakReport()).isEmpty();
    assertThat(pool.leasedBytes()).isZero();
    pool.close();
    framePool.close();
  }
}
