package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A receive buffer is direct memory, which may be exhausted when a connection is made. The error did not close the
 * socket that was connecting already: it stayed open, and each attempt added one.
 */
@Timeout(30)
class NoDirectMemoryTest {
  private final OutOfMemoryError none = new OutOfMemoryError(
      "Cannot reserve 65536 bytes of direct buffer memory, says this test");

  private final EventLoop loop = EventLoop.start("no-memory", Clock.system());
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final FrameMemory empty = new FrameMemory(loop, pool, pressed -> {
    throw none;
  });

  private static final class Silent implements Connection.Handler {
    @Override
    public void onConnected() {}

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {}

    @Override
    public void onClosed(Throwable cause) {}
  }

  @AfterEach
  void close() {
    loop.close();
    pool.close();
  }

  @Test
  void connectionThatCannotBeMadeClosesItsTransport() {
    PipeTransport transport = new PipeTransport(1_000);
    assertThatThrownBy(
        () -> new Connection(loop, transport, LengthPrefixFraming.INSTANCE, new Silent(), empty, 1_000)).isSameAs(none);
    assertThat(transport.isClosed()).isTrue();
  }

  @Test
  void peerSeesTheEndOfASocketThatWasConnectingAlready() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(20_000);
      SocketTransport transport = SocketTransport
          .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
      assertThatThrownBy(
          () -> new Connection(loop, transport, LengthPrefixFraming.INSTANCE, new Silent(), empty, 1_000))
          .isSameAs(none);
      try (Socket accepted = server.accept()) {
        accepted.setSoTimeout(20_000);
        assertThat(accepted.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void acceptedSocketIsClosedAndTheNextOneIsAccepted() throws Exception {
    CountDownLatch second = new CountDownLatch(2);
    List<Connection> made = new ArrayList<>();
    FrameMemory enough = new FrameMemory(loop, pool);
    Acceptor acceptor = Acceptor.bind(loop,
        Acceptor.Settings.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), transport -> {
          second.countDown();
          FrameMemory memory = second.getCount() == 1 ? empty : enough;
          made.add(new Connection(loop, transport, LengthPrefixFraming.INSTANCE, new Silent(), memory, 1_000));
        });
    try (Socket first = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort())) {
      first.setSoTimeout(20_000);
      assertThat(first.getInputStream().read()).isEqualTo(-1);
    }
    try (Socket next = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort())) {
      assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(next.isConnected()).isTrue();
    }
    loop.execute(() -> made.forEach(connection -> connection.close(new IOException("the test is over"))));
    loop.execute(acceptor::close);
  }
}
