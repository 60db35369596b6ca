package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The line protocol over streams in memory that move any number of bytes at a time. They are bare, or under a transport
 * with a handshake, records and work on other threads. That is what encryption demands of a {@link Transport}, without
 * its
 * algorithms.
 */
@Timeout(60)
class SlicedStreamTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final EventLoop loop = EventLoop.withoutThread("sliced", Clock.system());
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final LineEcho echo = new LineEcho(loop, pool, PATIENCE_NANOS, 60_000);

  @AfterEach
  void close() {
    loop.close();
    assertThat(pool.leasedBytes()).isZero();
    pool.close();
  }

  private void driveUntil(BooleanSupplier done) throws InterruptedException {
    assertThat(loop.driveUntil(done, System.nanoTime() + PATIENCE_NANOS)).as("seed %d, ends %s", seed, echo.ends)
        .isTrue();
  }

  private PipeTransport slicedPipe() {
    PipeTransport pipe = new PipeTransport(1 + random.nextInt(1 << random.nextInt(15)));
    pipe.sliceByChance(random);
    pipe.peer().sliceByChance(random);
    return pipe;
  }

  private void sendLinesBothWays(Transport ofClient, Transport ofEcho) throws InterruptedException {
    LineClient client = new LineClient(loop, ofClient, pool);
    List<String> sent = new ArrayList<>();
    loop.execute(client.connection::open);
    loop.execute(() -> echo.serve(ofEcho));
    for (int i = 0; i < 100; i++) {
      sent.add(i + "-" + "y".repeat(random.nextInt(1 << random.nextInt(12))));
    }
    loop.execute(() -> sent.forEach(client::send));
    driveUntil(() -> client.received.size() == sent.size() || client.end != null);
    assertThat(client.end).as("seed %d", seed).isNull();
    assertThat(client.received).as("seed %d", seed).isEqualTo(sent);

    // The client closes, then the echo does. Each handler learns of the end once.
    IOException over = new IOException("over");
    loop.execute(() -> client.connection.closeAfterOutput(over, PATIENCE_NANOS));
    driveUntil(() -> client.end != null && !echo.ends.isEmpty());
    assertThat(client.end).as("seed %d", seed).isSameAs(over);
    assertThat(echo.ends).as("seed %d", seed).hasSize(1);
    assertThat(echo.ends.getFirst()).as("seed %d", seed).hasMessage("the peer is done");
  }

  @RepeatedTest(20)
  void linesArriveWholeHoweverTheStreamIsCut() throws InterruptedException {
    PipeTransport pipe = slicedPipe();
    sendLinesBothWays(pipe, pipe.peer());
  }

  @RepeatedTest(20)
  void linesArriveWholeThroughAHandshakeAndRecordsHoweverTheStreamIsCut() throws InterruptedException {
    PipeTransport pipe = slicedPipe();
    sendLinesBothWays(new VeiledTransport(pipe, true, seed), new VeiledTransport(pipe.peer(), false, seed + 1));
  }

  @Test
  void linesArriveWholeThroughAHandshakeAndRecordsOverASocket() throws Exception {
    Acceptor acceptor = Acceptor.bind(loop,
        Acceptor.Settings.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
        transport -> echo.serve(new VeiledTransport(transport, false, seed)));
    LineClient client = new LineClient(loop,
        new VeiledTransport(SocketTransport.connect(acceptor.localAddress()), true, seed + 1), pool);
    loop.execute(client.connection::open);
    loop.execute(() -> {
      for (int i = 0; i < 20_000; i++) {
        client.send("line " + i);
      }
    });
    driveUntil(() -> client.received.size() == 20_000 || client.end != null);

    assertThat(client.received).as("end %s", client.end).hasSize(20_000).last().isEqualTo("line 19999");
    loop.execute(() -> client.connection.close(new IOException("over")));
    loop.execute(acceptor::close);
    driveUntil(() -> !echo.ends.isEmpty());
    assertThat(echo.ends.getFirst()).as("no end of the records came").hasMessageContaining("cut");
  }

  @Test
  void streamThatIsCutInTheHandshakeEndsBothSidesWithoutAConnection() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(3); // less than a key
    LineClient client = new LineClient(loop, new VeiledTransport(pipe, true, seed), pool);
    loop.execute(client.connection::open);
    loop.execute(() -> client.send("never"));
    driveUntil(() -> pipe.writes() > 0);
    assertThat(client.connection.isConnected()).isFalse();
    loop.execute(() -> {
      pipe.peer().take(3);
      pipe.cutLink();
    });
    driveUntil(() -> client.end != null);

    assertThat(client.end).hasMessage("the link was cut");
    assertThat(pipe.isClosed()).isTrue();
  }

  @Test
  void recordsThatWaitWhileReadingIsHeldAreReadAfterwards() throws InterruptedException {
    // All bytes are below already: nothing is reported any more when reading resumes.
    PipeTransport pipe = new PipeTransport(100_000);
    LineClient client = new LineClient(loop, new VeiledTransport(pipe, true, seed), pool);
    LineClient other = new LineClient(loop, new VeiledTransport(pipe.peer(), false, seed + 1), pool);
    loop.execute(client.connection::open);
    loop.execute(other.connection::open);
    driveUntil(() -> client.connection.isConnected() && other.connection.isConnected());
    loop.execute(() -> other.connection.holdReading(true));
    loop.execute(() -> {
      for (int i = 0; i < 500; i++) {
        client.send("line " + i);
      }
    });
    driveUntil(() -> client.connection.bytesWritten() == client.connection.bytesQueued());
    assertThat(other.received).isEmpty();
    loop.execute(() -> other.connection.holdReading(false));
    driveUntil(() -> other.received.size() == 500);

    loop.execute(() -> client.connection.close(new IOException("over")));
    driveUntil(() -> other.end != null);
    assertThat(other.end).hasMessageContaining("cut");
  }

  @Test
  void closingThatThePeerDoesNotAnswerEndsAtItsDeadline() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(10); // and the other end does not read
    LineClient client = new LineClient(loop, pipe, pool);
    loop.execute(client.connection::open);
    driveUntil(client.connection::isConnected);
    IOException over = new IOException("over");
    loop.execute(() -> {
      client.send("more than the pipe takes");
      client.connection.closeAfterOutput(over, TimeUnit.MILLISECONDS.toNanos(20));
      client.send("not any more");
    });
    driveUntil(() -> client.end != null);

    assertThat(client.end).isSameAs(over);
    assertThat(client.connection.bytesQueued()).isEqualTo("more than the pipe takes\n".length());
    assertThat(client.connection.bytesWritten()).isEqualTo(10);
  }

  @Test
  void framesThatArriveWhileAConnectionClosesAreThrownAway() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(1_000);
    LineClient client = new LineClient(loop, pipe, pool);
    loop.execute(client.connection::open);
    driveUntil(client.connection::isConnected);
    loop.execute(() -> {
      client.connection.closeAfterOutput(new IOException("over"), PATIENCE_NANOS);
      client.connection.holdReading(true); // while it is held, it would not see the end
      pipe.peer().put("a\nb\n".getBytes(StandardCharsets.US_ASCII), 0);
    });
    driveUntil(() -> pipe.peer().pending() == 0);
    loop.execute(pipe.peer()::close);
    driveUntil(() -> client.end != null);

    assertThat(client.received).isEmpty();
    assertThat(Objects.requireNonNull(client.end)).hasMessage("over");
  }

  @Test
  void searchForAnEndLooksAtNoByteTwice() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(100);
    LineFraming framing = new LineFraming();
    List<Integer> lengths = new ArrayList<>();
    Connection connection = new Connection(loop, pipe, framing, new Connection.Handler() {
      @Override
      public void onConnected() {}

      @Override
      public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
        lengths.add(to - from);
      }

      @Override
      public void onClosed(Throwable cause) {}
    }, new FrameMemory(loop, pool), 60_000);
    pipe.limitBytesPerRead(1);
    loop.execute(connection::open);
    byte[] lines = ("z".repeat(5_000) + "\n\n" + "z".repeat(3_000) + "\n")
        .getBytes(StandardCharsets.US_ASCII);
    int[] sent = {0};
    driveUntil(() -> {
      sent[0] += pipe.peer().put(lines, sent[0]);
      return lengths.size() == 3;
    });

    assertThat(lengths).containsExactly(5_001, 1, 3_001);
    assertThat(framing.lookedAt).isEqualTo(lines.length);
  }
}
