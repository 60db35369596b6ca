package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.loop.EventLoop;
import dev.decant.net.tls.TlsMemory;
import dev.decant.net.tls.TlsTransport;
import dev.decant.time.Clock;
import dev.decant.tls.TestCertificate;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsException.Kind;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The line protocol over TLS and a pipe in memory that moves any number of bytes at a time, or wrong bytes. */
@Timeout(60)
class TlsSlicedStreamTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final TlsContext CLIENT = load(TlsSettings.builder().trust(TestCertificate.AUTHORITY.trust()));
  private static final TlsContext SERVER = load(TlsSettings.builder().keys(TestCertificate.SERVER.keys()));
  private static final TlsContext CLIENT_1_2 = load(TlsSettings.builder().trust(TestCertificate.AUTHORITY.trust())
      .protocols("TLSv1.2"));

  /** A short handshake timeout: with a wrong length, both sides wait for bytes that never come. */
  private static final TlsContext HASTY_CLIENT = load(TlsSettings.builder().trust(TestCertificate.AUTHORITY.trust()),
      Duration.ofSeconds(1));
  private static final TlsContext HASTY_CLIENT_1_2 = load(TlsSettings.builder().trust(TestCertificate.AUTHORITY.trust())
      .protocols("TLSv1.2"), Duration.ofSeconds(1));

  private final long seed = Long.getLong("decant.tls.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final EventLoop loop = EventLoop.withoutThread("sliced-tls", Clock.system());
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final BufferPool tlsPool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, true);
  private final TlsMemory memory = new TlsMemory(loop, tlsPool);
  private final LineEcho echo = new LineEcho(loop, pool, PATIENCE_NANOS, 60_000);

  private static TlsContext load(TlsSettings.Builder settings) {
    return load(settings, Duration.ofSeconds(30));
  }

  private static TlsContext load(TlsSettings.Builder settings, Duration handshakeTimeout) {
    try {
      return TlsContext.load(settings.handshakeTimeout(handshakeTimeout).build());
    } catch (TlsKeyException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    loop.close();
    assertThat(tlsPool.leakReport()).as("seed %d", seed).isEmpty();
    assertThat(tlsPool.leasedBytes()).isZero();
    assertThat(pool.leasedBytes()).isZero();
    pool.close();
    tlsPool.close();
  }

  private void driveUntil(BooleanSupplier done) throws InterruptedException {
    assertThat(loop.driveUntil(done, System.nanoTime() + PATIENCE_NANOS)).as("seed %d, ends %s", seed, echo.ends)
        .isTrue();
  }

  private TlsTransport client(TlsContext context, Transport below) {
    return TlsTransport.client(context, below, "localhost", 1, memory);
  }

  private TlsTransport server(Transport below) {
    return TlsTransport.server(SERVER, below, "the client", memory);
  }

  private void sendLinesBothWays(TlsContext context, PipeTransport pipe, int lines) throws InterruptedException {
    LineClient client = new LineClient(loop, client(context, pipe), pool);
    List<String> sent = new ArrayList<>();
    loop.execute(client.connection::open);
    loop.execute(() -> echo.serve(server(pipe.peer())));
    for (int i = 0; i < lines; i++) {
      sent.add(i + "-" + "y".repeat(random.nextInt(1 << random.nextInt(14))));
    }
    loop.execute(() -> sent.forEach(client::send));
    driveUntil(() -> client.received.size() == sent.size() || client.end != null);
    assertThat(client.end).as("seed %d", seed).isNull();
    assertThat(client.received).as("seed %d", seed).isEqualTo(sent);

    IOException over = new IOException("over");
    loop.execute(() -> client.connection.closeAfterOutput(over, PATIENCE_NANOS));
    driveUntil(() -> client.end != null && !echo.ends.isEmpty());
    assertThat(client.end).as("seed %d", seed).isSameAs(over);
    assertThat(echo.ends).as("seed %d", seed).hasSize(1);
    assertThat(echo.ends.getFirst()).as("seed %d", seed).hasMessage("the peer is done");
  }

  @RepeatedTest(10)
  void linesArriveWholeHoweverTheStreamIsCut() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(1 + random.nextInt(1 << random.nextInt(16)));
    pipe.sliceByChance(random);
    pipe.peer().sliceByChance(random);
    sendLinesBothWays(random.nextBoolean() ? CLIENT : CLIENT_1_2, pipe, 100);
  }

  /** With room for one byte, both sides cannot write during the handshake: they must read then. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void linesArriveWholeOneByteAtATime(boolean newest) throws InterruptedException {
    PipeTransport pipe = new PipeTransport(1);
    sendLinesBothWays(newest ? CLIENT : CLIENT_1_2, pipe, 10);
  }

  /** Waiting output fills records: 16 KiB are one record, independent of the number of slices. */
  @Test
  void manySmallFramesLeaveInFullRecords() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(1 << 20);
    LineClient client = new LineClient(loop, client(CLIENT, pipe), pool);
    loop.execute(client.connection::open);
    loop.execute(() -> echo.serve(server(pipe.peer())));
    driveUntil(client.connection::isConnected);
    loop.execute(() -> client.send("a first one, after which all tickets have come"));
    driveUntil(() -> client.received.size() == 1);
    int writes = pipe.writes();
    List<Integer> recordBytes = new ArrayList<>();
    loop.execute(() -> {
      pipe.peer().limitBytesPerRead(0);
      for (int i = 0; i < 1_024; i++) { // 1,024 slices of 64 bytes: 64 KiB
        client.connection.queue(ByteBuffer.allocateDirect(64).put("x".repeat(63).getBytes(StandardCharsets.US_ASCII))
            .put((byte) '\n').flip());
      }
      client.connection.flush();
      byte[] sent = pipe.peer().take(1 << 20);
      for (int at = 0; at < sent.length; at += recordBytes.getLast()) {
        recordBytes.add(5 + Short.toUnsignedInt(ByteBuffer.wrap(sent).getShort(at + 3)));
      }
      pipe.cutLink();
    });
    driveUntil(() -> client.end != null && !echo.ends.isEmpty());

    // The JDK puts a few bytes less than 16 KiB into a record of TLS 1.3.
    assertThat(recordBytes).hasSize(5);
    assertThat(recordBytes.subList(0, 4)).allMatch(bytes -> bytes > 16 * 1024);
    assertThat(pipe.writes() - writes).isLessThanOrEqualTo(3);
  }

  /** A wrong byte at any place, in the handshake or after it: no wrong line arrives, and both sides end. */
  @RepeatedTest(40)
  void noWrongByteReachesTheApplication() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(1 << 16);
    boolean fromClient = random.nextBoolean();
    int wrongByte = random.nextInt(1 << random.nextInt(12));
    GarblingTransport garbling = new GarblingTransport(fromClient ? pipe : pipe.peer(), wrongByte,
        (byte) (1 + random.nextInt(255)));
    TlsContext context = random.nextBoolean() ? HASTY_CLIENT : HASTY_CLIENT_1_2;
    LineClient client = new LineClient(loop, client(context, fromClient ? garbling : pipe), pool);
    loop.execute(client.connection::open);
    loop.execute(() -> echo.serve(server(fromClient ? pipe.peer() : garbling)));
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 300; i++) { // more than the longest record, should a length be wrong
      sent.add("line " + i + "z".repeat(100));
    }
    loop.execute(() -> sent.forEach(client::send));
    driveUntil(() -> client.received.size() == 300 || client.end != null || !echo.ends.isEmpty());
    loop.execute(() -> {
      client.connection.close(new IOException("over"));
      List.copyOf(echo.sessions).forEach(session -> session.connection.close(new IOException("over")));
    });
    driveUntil(() -> client.end != null && !echo.ends.isEmpty());

    assertThat(client.received).as("seed %d, byte %d of the %s", seed, wrongByte, fromClient ? "client" : "server")
        .isEqualTo(sent.subList(0, client.received.size()));
    assertThat(client.received.size() < 300 || !garbling.hasGarbled() || garbling.hasGarbledVersion())
        .as("seed %d, byte %d of the %s is found", seed, wrongByte, fromClient ? "client" : "server").isTrue();
  }

  @RepeatedTest(20)
  void streamThatIsCutAnywhereEndsWithAnError() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(1 << 16);
    int last = random.nextInt(1 << random.nextInt(13));
    LineClient client = new LineClient(loop, client(CLIENT, pipe), pool);
    TlsTransport peer = server(new EndingTransport(pipe.peer(), last));
    loop.execute(client.connection::open);
    loop.execute(() -> echo.serve(peer));
    loop.execute(() -> client.send("line"));
    driveUntil(() -> {
      if (!client.received.isEmpty()) {
        pipe.peer().shutdownOutput(); // the stream had fewer bytes than that
      }
      return client.end != null;
    });
    loop.execute(() -> List.copyOf(echo.sessions)
        .forEach(session -> session.connection.close(new IOException("over"))));
    driveUntil(() -> !echo.ends.isEmpty());

    assertThat(client.end).as("seed %d, after %d bytes", seed, last).isInstanceOfSatisfying(TlsException.class,
        e -> assertThat(e.kind()).isEqualTo(Kind.TRUNCATED));
  }

  @RepeatedTest(10)
  void bytesOfNoProtocolEndTheConnection() throws InterruptedException {
    PipeTransport pipe = new PipeTransport(1 << 16);
    byte[] garbage = new byte[1 + random.nextInt(30_000)];
    random.nextBytes(garbage);
    loop.execute(() -> echo.serve(server(pipe.peer())));
    int[] sent = {0};
    driveUntil(() -> {
      sent[0] += pipe.put(garbage, sent[0]);
      if (sent[0] == garbage.length) {
        pipe.shutdownOutput();
      }
      return !echo.ends.isEmpty();
    });

    assertThat(echo.ends.getFirst()).as("seed %d", seed).isInstanceOf(TlsException.class);
  }
}
