package dev.decant.net;

import static dev.decant.net.PipedConnection.concat;
import static dev.decant.net.PipedConnection.frame;
import static dev.decant.net.PipedConnection.pattern;
import static dev.decant.net.PipedConnection.prefix;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.PooledBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cutting frames out of the stream. */
@Timeout(60)
class ConnectionTest {
  private static final int PIPE_BYTES = 10_000;
  private static final int POOL_BYTES = 1 << 20;
  private static final int MAX_FRAME_BYTES = 500_000;

  private static PipedConnection open() throws InterruptedException {
    return new PipedConnection(PIPE_BYTES, POOL_BYTES, MAX_FRAME_BYTES).open();
  }

  @Test
  void framesArriveWholeWhenTheirBytesArriveOneByOne() throws InterruptedException {
    try (PipedConnection piped = open()) {
      piped.local.limitBytesPerRead(1);
      byte[][] payloads = {pattern(1, 1), pattern(300, 2), {}, pattern(5, 3)};
      for (byte[] payload : payloads) {
        piped.send(frame(payload));
      }
      piped.awaitFrames(payloads.length);

      piped.onLoop(() -> assertThat(piped.frames).containsExactly(payloads));
    }
  }

  @Test
  void severalFramesArriveFromOneRead() throws InterruptedException {
    try (PipedConnection piped = open()) {
      byte[] some = concat(frame(pattern(10, 1)), frame(pattern(20, 2)), frame(pattern(30, 3)));
      piped.onLoop(() -> piped.remote.put(concat(some, some), 0));
      piped.awaitFrames(6);

      piped.onLoop(() -> {
        assertThat(piped.frames).element(5).isEqualTo(pattern(30, 3));
        assertThat(piped.local.reads()).isEqualTo(1);
      });
    }
  }

  @Test
  void frameWithoutPayloadIsAFrame() throws InterruptedException {
    try (PipedConnection piped = open()) {
      piped.send(concat(prefix(0), frame((byte) 1)));
      piped.awaitFrames(2);

      piped.onLoop(() -> assertThat(piped.frames).containsExactly(new byte[0], new byte[] {1}));
    }
  }

  @Test
  void framesOfAllSizesArriveWholeHoweverTheStreamIsCut() throws InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int run = 0; run < 10; run++) {
      try (PipedConnection piped = new PipedConnection(1 + random.nextInt(100_000), POOL_BYTES, MAX_FRAME_BYTES)) {
        piped.local.limitBytesPerRead(1 + random.nextInt(70_000));
        piped.open();
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          int bound = random.nextInt(3) == 0 ? 200_000 : 2_000;
          payloads.add(pattern(random.nextInt(bound), i));
          piped.send(frame(payloads.get(i)));
        }
        piped.awaitFrames(payloads.size());

        piped.onLoop(() -> assertThat(piped.frames).as("seed %d", seed).containsExactlyElementsOf(payloads));
        assertThat(piped.pool.leasedBytes()).as("seed %d", seed).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {65_531, 65_532, 65_533, 65_536, 65_537})
  void framesAboutAsLargeAsTheReceiveBufferArriveWhole(int length) throws InterruptedException {
    try (PipedConnection piped = open()) {
      piped.send(concat(frame(pattern(length, 1)), frame(pattern(length, 2)), frame((byte) 3)));
      piped.awaitFrames(3);

      piped.onLoop(() -> assertThat(piped.frames).containsExactly(pattern(length, 1), pattern(length, 2),
          new byte[] {3}));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, MAX_FRAME_BYTES + 1, Integer.MAX_VALUE})
  void lengthOutOfBoundsEndsTheConnectionAndTakesNoMemory(int length) throws InterruptedException {
    try (PipedConnection piped = open()) {
      piped.send(concat(frame((byte) 1), prefix(length), new byte[100]));

      assertThat(piped.awaitEnd()).isInstanceOf(IOException.class).hasMessageContaining(" " + length + " bytes")
          .hasMessageContaining(String.valueOf(MAX_FRAME_BYTES));
      piped.onLoop(() -> assertThat(piped.frames).hasSize(1));
      assertThat(piped.pool.leasedBytes() + piped.pool.cachedBytes()).isZero();
      assertThat(piped.local.isClosed()).isTrue();
    }
  }

  /** Memory of 300,000 bytes has no size class above 262,144, but all of it is usable. */
  @ParameterizedTest
  @ValueSource(ints = {262_145, 300_000, 300_001, 400_000})
  void beginOfAFrameThatIsLargerThanAllMemoryIsHandedOverAndItsRestSkipped(int length) throws InterruptedException {
    try (PipedConnection piped = new PipedConnection(PIPE_BYTES, 300_000, MAX_FRAME_BYTES)) {
      piped.takesOversized = true;
      piped.local.limitBytesPerRead(7_001);
      piped.open();
      for (int i = 0; i < 2; i++) {
        piped.send(concat(frame((byte) 1), frame(pattern(length, 2)), frame((byte) 3)));
      }
      piped.awaitFrames(6);

      byte[] large = pattern(length, 2);
      boolean fits = length <= 300_000;
      piped.onLoop(() -> {
        for (int i = 0; i < 6; i += 3) {
          assertThat(piped.frames.get(i)).containsExactly(1);
          assertThat(piped.frames.get(i + 1)).isEqualTo(fits ? large : Arrays.copyOf(large, 64 * 1024 - 4));
          assertThat(piped.frames.get(i + 2)).containsExactly(3);
        }
        assertThat(piped.oversized).hasSize(fits ? 0 : 2).allMatch(bytes -> bytes == length);
      });
      assertThat(piped.pool.leasedBytes()).isZero();
    }
  }

  /** Frames behind a large one waited with it for as long as other connections held the memory. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void frameThatWaitsTooLongForMemoryIsSkipped(boolean takesOversized) throws InterruptedException {
    try (PipedConnection piped = new PipedConnection(PIPE_BYTES, 300_000, MAX_FRAME_BYTES)) {
      piped.takesOversized = takesOversized;
      piped.patienceNanos = 20_000_000;
      PooledBuffer held = Objects.requireNonNull(piped.pool.tryLease(100_000));
      piped.open();
      piped.onLoop(() -> piped.remote.put(concat(frame(pattern(250_000, 1)), frame((byte) 2)), 0));
      byte[] all = concat(frame(pattern(250_000, 1)), frame((byte) 2));
      int[] sent = {PIPE_BYTES};
      if (takesOversized) {
        piped.driveUntil(() -> {
          sent[0] += piped.remote.put(all, sent[0]);
          return piped.frames.size() == 2;
        });
        piped.onLoop(() -> assertThat(piped.oversized).containsExactly(250_000L));
        held.release();
      } else {
        piped.driveUntil(() -> {
          sent[0] += piped.remote.put(all, sent[0]);
          return piped.connection.waitsForMemory();
        });
        held.release();
        piped.driveUntil(() -> {
          sent[0] += piped.remote.put(all, sent[0]);
          return piped.frames.size() == 2;
        });
        piped.onLoop(() -> assertThat(piped.frames.getFirst()).isEqualTo(pattern(250_000, 1)));
      }
      piped.onLoop(() -> assertThat(piped.frames.getLast()).containsExactly(2));
      piped.send(frame(pattern(250_000, 3)));
      piped.awaitFrames(3);
      piped.onLoop(() -> assertThat(piped.frames.getLast()).isEqualTo(pattern(250_000, 3)));
    }
  }

  /** A frame may be below the bound of frames and still never fit; the message names the bound that applies. */
  @Test
  void frameLargerThanAllMemoryEndsAConnectionThatDoesNotTakeItsBegin() throws InterruptedException {
    try (PipedConnection piped = new PipedConnection(PIPE_BYTES, 300_000, MAX_FRAME_BYTES).open()) {
      piped.send(concat(prefix(300_001), new byte[100]));
      assertThat(piped.awaitEnd()).isInstanceOf(IOException.class)
          .hasMessage("the peer announced a frame of 300001 bytes; the bound is 300000");
    }
  }

  @Test
  void frameOfTheLargestLengthIsNotMistakenForASmallOne() throws InterruptedException {
    // With no bound but that of an int, length + 4 overflowed: the frame seemed to fit in the receive buffer. The
    // buffer filled up, and the connection spun on reads of no bytes.
    try (PipedConnection piped = new PipedConnection(PIPE_BYTES, POOL_BYTES, Integer.MAX_VALUE).open()) {
      piped.send(concat(prefix(Integer.MAX_VALUE), new byte[70_000]));

      assertThat(piped.awaitEnd()).isInstanceOf(IOException.class).hasMessageContaining("2147483647 bytes");
    }
  }

  @Test
  void peerIsHeldBackWhileThereIsNoMemoryAndReadOnAfterwards() throws InterruptedException {
    try (PipedConnection piped = new PipedConnection(PIPE_BYTES, 1 << 17, MAX_FRAME_BYTES)) {
      List<PooledBuffer> kept = new ArrayList<>();
      piped.onFrame = (payload, lease) -> {
        if (lease != null) {
          lease.retain();
          kept.add(lease);
        }
      };
      piped.open();
      byte[] first = pattern(120_000, 1);
      byte[] second = frame(pattern(90_000, 2));
      piped.send(frame(first));
      piped.awaitFrames(1);
      int[] sent = {0};
      // The first bytes are read and exceed the bound; the bytes behind them fill the pipe.
      for (int i = 0; i < 2; i++) {
        piped.onLoop(() -> sent[0] += piped.remote.put(second, sent[0]));
        piped.onLoop(() -> {}); // readiness is reported by a task before this one
      }
      piped.onLoop(() -> assertThat(piped.remote.put(second, sent[0])).isZero());

      piped.onLoop(() -> kept.getFirst().release());
      piped.send(Arrays.copyOfRange(second, sent[0], second.length));
      piped.awaitFrames(2);
      piped.onLoop(() -> {
        assertThat(piped.frames).containsExactly(first, pattern(90_000, 2));
        kept.get(1).release();
      });
      assertThat(piped.pool.leasedBytes()).isZero();
    }
  }

  /**
   * Two peers always have more to send. One of them could take the memory for ever, while the other received nothing.
   */
  @Test
  void memoryGoesToWhoHasWaitedLongest() throws InterruptedException {
    int frameBytes = 100_000; // there is memory for one
    try (PipedConnection busy = new PipedConnection(4 * frameBytes, 1 << 17, MAX_FRAME_BYTES)) {
      PipedConnection other = busy.neighbour(4 * frameBytes, MAX_FRAME_BYTES).open();
      List<String> received = new ArrayList<>();
      List<PooledBuffer> kept = new ArrayList<>();
      busy.onFrame = (payload, lease) -> keep("busy", lease, received, kept);
      other.onFrame = (payload, lease) -> keep("other", lease, received, kept);
      busy.open();
      for (int i = 0; i < 3; i++) {
        busy.send(frame(pattern(frameBytes, i)));
      }
      busy.awaitFrames(1);
      other.send(frame(pattern(frameBytes, 9)));
      busy.onLoop(() -> {}); // each connection has tried to get memory for its next frame
      for (int i = 0; i < 4; i++) {
        int count = i + 1;
        busy.driveUntil(() -> received.size() == count);
        busy.onLoop(() -> kept.removeFirst().release());
      }
      busy.onLoop(() -> assertThat(received).containsExactly("busy", "busy", "other", "busy"));
      assertThat(busy.pool.leasedBytes()).isZero();
    }
  }

  private static void keep(String who, @Nullable PooledBuffer lease, List<String> received, List<PooledBuffer> kept) {
    Objects.requireNonNull(lease).retain();
    received.add(who);
    kept.add(lease);
  }

  @Test
  void memoryOfALargeFrameBelongsToWhoRetainsIt() throws InterruptedException {
    try (PipedConnection piped = open()) {
      PooledBuffer[] kept = new PooledBuffer[1];
      piped.onFrame = (payload, lease) -> {
        PooledBuffer large = Objects.requireNonNull(lease);
        large.retain();
        kept[0] = large;
      };
      piped.send(frame(pattern(100_000, 1)));
      piped.awaitFrames(1);
      piped.onLoop(() -> piped.connection.close(new IOException("over")));

      assertThat(piped.pool.leasedBytes()).isEqualTo(1 << 17);
      kept[0].release();
      assertThat(piped.pool.leasedBytes()).isZero();
    }
  }

  @Test
  void handlerThatClosesSeesNoFurtherFrame() throws InterruptedException {
    try (PipedConnection piped = open()) {
      IllegalStateException enough = new IllegalStateException("enough");
      piped.onFrame = (payload, lease) -> piped.connection.close(enough);
      piped.onLoop(() -> piped.remote.put(concat(frame((byte) 1), frame((byte) 2)), 0));

      assertThat(piped.awaitEnd()).isSameAs(enough);
      piped.onLoop(() -> assertThat(piped.frames).hasSize(1));
    }
  }
}
