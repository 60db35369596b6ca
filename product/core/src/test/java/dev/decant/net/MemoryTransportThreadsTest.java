package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two connections over one connection in memory, on loops with threads of their own that sleep without work. A missed
 * wake-up would hang here.
 */
@Timeout(120)
class MemoryTransportThreadsTest {
  private static final int FRAMES = 3_000;
  private static final int LARGEST = 100_000;
  private static final int TRIPS = 5_000;
  private static final long DEADLINE_SECONDS = 60;

  /** The loops of the two ends. */
  enum Loops {
    TWO, ONE, SERVED_INLINE
  }

  /** One end, which checks the frames of a sequence and notes the end. */
  private static final class Side implements Connection.Handler {
    final CompletableFuture<Long> allReceived = new CompletableFuture<>();
    final CompletableFuture<Throwable> end = new CompletableFuture<>();
    final Random expected;
    final Connection connection;
    long frames;
    long bytes;

    Side(EventLoop loop, BufferPool pool, Transport transport, long seed) {
      expected = new Random(seed);
      connection = new Connection(loop, transport, LengthPrefixFraming.INSTANCE, this, new FrameMemory(loop, pool),
          LARGEST);
    }

    @Override
    public void onConnected() {}

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
      int length = lengthOf(expected);
      byte first = (byte) expected.nextInt();
      boolean isRight = to - from == length
          && (length == 0 || (buffer.get(from) == first && buffer.get(to - 1) == first));
      bytes += to - from;
      if (!isRight) {
        allReceived.completeExceptionally(new AssertionError("frame " + frames + " has " + (to - from) + " bytes"));
      } else if (++frames == FRAMES) {
        allReceived.complete(bytes);
      }
    }

    @Override
    public void onClosed(Throwable cause) {
      end.complete(cause);
    }

    /** Queues all frames of a sequence, many times the capacity of the stream. */
    void sendAll(long seed) {
      Random random = new Random(seed);
      for (int i = 0; i < FRAMES; i++) {
        int length = lengthOf(random);
        byte content = (byte) random.nextInt();
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + length).putInt(length);
        while (frame.hasRemaining()) {
          frame.put(content);
        }
        connection.queue(frame.flip());
        if (content % 4 == 0) {
          connection.flush();
        }
      }
      connection.flush();
    }
  }

  private static int lengthOf(Random random) {
    return random.nextInt(1 << random.nextInt(1, 15));
  }

  @ParameterizedTest
  @EnumSource
  void allFramesArriveInOrderAndTheEndBehindThem(Loops loops) throws Exception {
    long seed = System.nanoTime();
    try (EventLoop one = EventLoop.start("one", Clock.system());
        EventLoop other = loops == Loops.ONE ? one : EventLoop.start("other", Clock.system());
        BufferPool pool = new BufferPool(8 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false)) {
      MemoryTransport end = MemoryTransport.open();
      if (loops == Loops.SERVED_INLINE) {
        end.peer().serveInline();
      }
      Side client = new Side(one, pool, end, seed + 1);
      Side server = new Side(other, pool, end.peer(), seed);
      one.execute(client.connection::open);
      one.execute(() -> client.sendAll(seed));
      other.execute(server.connection::open);
      other.execute(() -> server.sendAll(seed + 1));
      assertThat(server.allReceived.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("seed %d", seed).isPositive();
      assertThat(client.allReceived.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("seed %d", seed).isPositive();
      IOException done = new IOException("done");
      one.execute(() -> client.connection.closeAfterOutput(done, TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS)));
      assertThat(server.end.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).isInstanceOf(EOFException.class);
      assertThat(client.end.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).isSameAs(done);
    }
  }

  @Test
  void eachOfManyMessagesFindsTheOtherThreadAsleepOrAwake() throws Exception {
    try (EventLoop one = EventLoop.start("one", Clock.system());
        EventLoop other = EventLoop.start("other", Clock.system());
        BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false)) {
      MemoryTransport end = MemoryTransport.open();
      Trips client = new Trips(one, pool, end, false);
      Trips server = new Trips(other, pool, end.peer(), true);
      other.execute(server.connection::open);
      one.execute(client.connection::open);
      for (int i = 1; i <= TRIPS; i++) {
        int wanted = i;
        one.execute(client::send);
        assertThat(one.driveUntil(() -> client.received == wanted, deadline())).isTrue();
      }
    }
  }

  private static long deadline() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
  }

  /** Sends small messages, which the echo returns. */
  static final class Trips implements Connection.Handler {
    private static final int MESSAGE_BYTES = 100;
    final Connection connection;
    private final boolean isEcho;
    private final ByteBuffer message = ByteBuffer.allocateDirect(Integer.BYTES + MESSAGE_BYTES)
        .putInt(0, MESSAGE_BYTES);
    volatile long received;

    Trips(EventLoop loop, BufferPool pool, Transport transport, boolean isEcho) {
      this.isEcho = isEcho;
      connection = new Connection(loop, transport, LengthPrefixFraming.INSTANCE, this, new FrameMemory(loop, pool),
          LARGEST);
    }

    void send() {
      connection.queue(message.clear());
      connection.flush();
    }

    @Override
    public void onConnected() {}

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // the owner alone writes it
    public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
      received++;
      if (isEcho) {
        send();
      }
    }

    @Override
    public void onClosed(Throwable cause) {}
  }
}
