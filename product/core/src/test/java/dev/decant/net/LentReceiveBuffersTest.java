package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thousand idle connections had a receive buffer of 64 KiB each. They share buffers of their loop: a connection has
 * one while bytes of a frame wait in it for the others.
 */
@Timeout(60)
class LentReceiveBuffersTest {
  private static final int CONNECTIONS = 20;
  private static final int PIPE_BYTES = 1_000;

  private final AtomicInteger made = new AtomicInteger();
  private final List<PipedConnection> all = new ArrayList<>();

  private void openAll() throws InterruptedException {
    PipedConnection first = PipedConnection.lent(bytes -> {
      made.incrementAndGet();
      return ByteBuffer.allocateDirect(bytes);
    }, PIPE_BYTES, 1 << 22, 200_000);
    all.add(first.open());
    while (all.size() < CONNECTIONS) {
      all.add(first.neighbour(PIPE_BYTES, 200_000).open());
    }
  }

  @Test
  void idleConnectionsShareOneBuffer() throws InterruptedException {
    openAll();
    try (PipedConnection first = all.getFirst()) {
      for (PipedConnection connection : all) {
        connection.send(PipedConnection.frame((byte) 1, (byte) 2));
        connection.awaitFrames(1);
      }
      first.onLoop(() -> assertThat(made).hasValue(1));
    }
  }

  /** A connection that ends with a part of a frame, or is closed by its handler, returns its buffer, too. */
  @Test
  void connectionsThatEndGiveTheirBuffersBack() throws InterruptedException {
    openAll();
    try (PipedConnection first = all.getFirst()) {
      for (PipedConnection connection : all.subList(1, CONNECTIONS)) {
        connection.onFrame = (payload, lease) -> connection.connection.close(new IOException("enough"));
        connection.send(PipedConnection.concat(PipedConnection.frame((byte) 1), PipedConnection.prefix(100)));
        connection.awaitEnd();
      }
      PipedConnection cut = all.getFirst();
      cut.send(PipedConnection.prefix(100));
      cut.driveUntil(() -> cut.remote.pending() == 0);
      cut.onLoop(() -> cut.connection.close(new IOException("over")));
      PipedConnection next = first.neighbour(PIPE_BYTES, 200_000).open();
      next.send(PipedConnection.frame((byte) 7));
      next.awaitFrames(1);
      first.onLoop(() -> assertThat(made).hasValue(1));
    }
  }

  @Test
  void framesOfManyConnectionsArriveWholeHoweverTheyAreCut() throws InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    openAll();
    try (PipedConnection first = all.getFirst()) {
      List<byte[]> streams = new ArrayList<>();
      List<List<byte[]>> expected = new ArrayList<>();
      for (PipedConnection connection : all) {
        connection.local.sliceByChance(random);
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          payloads.add(PipedConnection.pattern(random.nextInt(i == 3 ? 150_000 : 2_000), random.nextInt()));
        }
        expected.add(payloads);
        streams.add(PipedConnection.concat(payloads.stream().map(PipedConnection::frame).toArray(byte[][]::new)));
      }
      int[] sent = new int[CONNECTIONS];
      first.driveUntil(() -> {
        boolean done = true;
        for (int i = 0; i < CONNECTIONS; i++) {
          byte[] stream = streams.get(i);
          int from = sent[i];
          byte[] part = Arrays.copyOf(stream, Math.min(stream.length, from + 1 + random.nextInt(5_000)));
          sent[i] += all.get(i).remote.put(part, from);
          done &= sent[i] == stream.length && all.get(i).frames.size() == 6;
        }
        return done;
      });
      for (int i = 0; i < CONNECTIONS; i++) {
        List<byte[]> received = all.get(i).frames;
        for (int k = 0; k < 6; k++) {
          assertThat(received.get(k)).as("seed %d, connection %d, frame %d", seed, i, k)
              .isEqualTo(expected.get(i).get(k));
        }
      }
    }
  }
}
