package dev.decant.net;

import static dev.decant.loop.SleepingOwner.runInline;
import static dev.decant.net.PipedConnection.direct;
import static dev.decant.net.PipedConnection.pattern;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Output that another thread writes while the owner of the loop sleeps. */
@Timeout(30)
class ConnectionInlineRunTest {
  private static final long PATIENCE_SECONDS = 20;

  private final EventLoop loop = EventLoop.start("inline-loop", Clock.system());

  @AfterEach
  void close() {
    loop.close();
  }

  private static <T> T soon(CompletableFuture<T> outcome) throws Exception {
    return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void connectionThatBreaksInAnInlineRunEndsAfterIt() throws Exception {
    try (PipedConnection piped = new PipedConnection(10_000, 1 << 20, 200_000)) {
      piped.open();
      runInline(piped.loop, () -> {
        piped.local.cutLink();
        piped.connection.queue(direct((byte) 1));
        piped.connection.flush();
        assertThat(piped.ends).isEmpty();
      });

      assertThat(piped.awaitEnd()).hasMessage("the link was cut");
    }
  }

  /** A handler that ignores all events, because the test reads at the other end. */
  private static final class Silent implements Connection.Handler {
    final CompletableFuture<Boolean> connected = new CompletableFuture<>();

    @Override
    public void onConnected() {
      connected.complete(true);
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {}

    @Override
    public void onClosed(Throwable cause) {
      connected.completeExceptionally(cause);
    }
  }

  /** The owner sleeps, and must learn that there is output to write. */
  @Test
  void whatTheSocketDoesNotTakeInAnInlineRunIsWrittenLater() throws Exception {
    byte[] bytes = pattern(8 << 20, 7); // more than the socket's buffers
    BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Silent handler = new Silent();
      CompletableFuture<Connection> opened = new CompletableFuture<>();
      loop.execute(() -> opened.complete(open(server, handler, pool)));
      Connection connection = soon(opened);
      try (Socket peer = server.accept()) {
        soon(handler.connected);
        CompletableFuture<Long> written = new CompletableFuture<>();
        runInline(loop, () -> {
          connection.queue(direct(bytes));
          connection.flush();
          written.complete(connection.bytesWritten());
        });
        assertThat(soon(written)).isBetween(1L, bytes.length - 1L);

        assertThat(peer.getInputStream().readNBytes(bytes.length)).isEqualTo(bytes);
      }
    } finally {
      loop.close();
      pool.close();
    }
  }

  private Connection open(ServerSocket server, Connection.Handler handler, BufferPool pool) {
    try {
      Connection connection = new Connection(loop,
          SocketTransport.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort())),
          LengthPrefixFraming.INSTANCE, handler, new FrameMemory(loop, pool), 1024);
      connection.open();
      return connection;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
