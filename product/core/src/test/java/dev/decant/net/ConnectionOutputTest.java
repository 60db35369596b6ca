package dev.decant.net;

import static dev.decant.net.PipedConnection.concat;
import static dev.decant.net.PipedConnection.direct;
import static dev.decant.net.PipedConnection.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.PooledBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of output, and when its memory may be used again. */
@Timeout(60)
class ConnectionOutputTest {
  private static PipedConnection open(int pipeBytes) throws InterruptedException {
    return new PipedConnection(pipeBytes, 1 << 20, 100_000).open();
  }

  /** Reads at the peer until this number of bytes has arrived. */
  private static byte[] receive(PipedConnection piped, int count) throws InterruptedException {
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    piped.driveUntil(() -> {
      received.writeBytes(piped.remote.take(count - received.size()));
      return received.size() == count;
    });
    return received.toByteArray();
  }

  @Test
  void partialGatheringWriteGoesOnAtTheRightByte() throws InterruptedException {
    try (PipedConnection piped = open(7)) {
      piped.local.limitBytesPerWrite(3);
      byte[] first = pattern(2, 1);
      byte[] second = pattern(9, 2);
      byte[] third = pattern(40, 3);
      piped.onLoop(() -> {
        piped.connection.queue(direct(first));
        piped.connection.queue(direct(second));
        piped.connection.queue(direct(third));
        piped.connection.flush();
      });

      assertThat(receive(piped, 51)).isEqualTo(concat(first, second, third));
    }
  }

  @Test
  void anyNumberOfSlicesArrivesInOrderHoweverTheLinkTakesThem() throws InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (PipedConnection piped = open(1 + random.nextInt(5_000))) {
      ByteArrayOutputStream expected = new ByteArrayOutputStream();
      ByteArrayOutputStream received = new ByteArrayOutputStream();
      for (int step = 0; step < 300; step++) {
        int slices = random.nextInt(150);
        piped.onLoop(() -> {
          piped.local.limitBytesPerWrite(1 + random.nextInt(2_000));
          for (int i = 0; i < slices; i++) {
            byte[] bytes = pattern(random.nextInt(60), i);
            expected.writeBytes(bytes);
            piped.connection.queue(direct(bytes));
          }
          piped.connection.flush();
          received.writeBytes(piped.remote.take(random.nextInt(6_000)));
        });
      }
      received.writeBytes(receive(piped, expected.size() - received.size()));

      assertThat(received.toByteArray()).as("seed %d", seed).isEqualTo(expected.toByteArray());
      piped.onLoop(() -> {
        assertThat(piped.connection.bytesQueued()).as("seed %d", seed).isEqualTo(expected.size());
        assertThat(piped.connection.bytesWritten()).as("seed %d", seed).isEqualTo(expected.size());
      });
    }
  }

  @Test
  void emptySlicesAreSkipped() throws InterruptedException {
    // A gathering write of empty slices only took 0 bytes, and the connection treated the transport as full.
    try (PipedConnection piped = open(1_000)) {
      piped.onLoop(() -> {
        for (int i = 0; i < 100; i++) {
          piped.connection.queue(ByteBuffer.allocateDirect(0));
        }
        piped.connection.queue(direct((byte) 9));
        piped.connection.flush();
        assertThat(piped.remote.take(10)).containsExactly(9);
      });
    }
  }

  @Test
  void outputQueuedBeforeTheLinkIsUpIsWrittenWhenItIs() throws InterruptedException {
    try (PipedConnection piped = new PipedConnection(100, 1 << 20, 1_000)) {
      piped.local.holdConnect();
      piped.open();
      piped.onLoop(() -> {
        piped.connection.queue(direct((byte) 1, (byte) 2));
        piped.connection.flush();
        assertThat(piped.local.writes()).isZero();
        assertThat(piped.connection.isConnected()).isFalse();
        piped.local.finishConnecting();
      });

      assertThat(receive(piped, 2)).containsExactly(1, 2);
      piped.onLoop(() -> assertThat(piped.connection.isConnected()).isTrue());
    }
  }

  /** Queues output in pooled memory, and releases it as the class comment of {@link Connection} allows. */
  private static final class Owner {
    private final PipedConnection piped;
    private final Deque<Long> marks = new ArrayDeque<>();
    private final Deque<PooledBuffer> leases = new ArrayDeque<>();
    private final List<ByteBuffer> slices = new ArrayList<>();

    Owner(PipedConnection piped) {
      this.piped = piped;
      piped.onClosed = () -> releaseUpTo(Long.MAX_VALUE);
    }

    void queue(byte[] bytes) {
      PooledBuffer lease = Objects.requireNonNull(piped.pool.tryLease(bytes.length));
      ByteBuffer slice = lease.buffer().duplicate().put(bytes).flip();
      piped.connection.queue(slice);
      marks.add(piped.connection.bytesQueued());
      leases.add(lease);
      slices.add(slice);
    }

    void releaseWritten() {
      releaseUpTo(piped.connection.bytesWritten());
    }

    private void releaseUpTo(long written) {
      while (!marks.isEmpty() && marks.getFirst() <= written) {
        marks.removeFirst();
        leases.removeFirst().release(); // throws on a second release, and poisons the memory
      }
    }
  }

  @Test
  void memoryMayBeUsedAgainWhenTheLinkHasTakenItsLastByteAndNotBefore() throws InterruptedException {
    try (PipedConnection piped = open(10)) {
      Owner owner = new Owner(piped);
      byte[] first = pattern(15, 1);
      byte[] second = pattern(15, 2);
      piped.onLoop(() -> {
        owner.queue(first);
        owner.queue(second);
        piped.connection.flush();
        owner.releaseWritten();
        assertThat(piped.connection.bytesWritten()).isEqualTo(10);
        assertThat(owner.leases).hasSize(2);
        assertThat(piped.remote.take(10)).isEqualTo(Arrays.copyOf(first, 10));
      });
      piped.driveUntil(() -> piped.connection.bytesWritten() == 20);
      piped.onLoop(() -> {
        owner.releaseWritten();
        assertThat(owner.leases).hasSize(1);
      });
      assertThat(receive(piped, 20)).isEqualTo(concat(Arrays.copyOfRange(first, 10, 15), second));
      piped.onLoop(owner::releaseWritten);
      assertThat(piped.pool.leasedBytes()).isZero();
    }
  }

  @Test
  void brokenLinkGivesPendingMemoryBackOnceAndItIsNotTouchedAgain() throws InterruptedException {
    try (PipedConnection piped = open(10)) {
      Owner owner = new Owner(piped);
      piped.onLoop(() -> {
        owner.queue(pattern(15, 1));
        owner.queue(pattern(15, 2));
        piped.connection.flush();
        owner.releaseWritten();
        piped.local.cutLink();
      });

      assertThat(piped.awaitEnd()).hasMessage("the link was cut");
      assertPendingOutputIsGone(piped, owner);
    }
  }

  @Test
  void closingGivesPendingMemoryBackOnceAndItIsNotTouchedAgain() throws InterruptedException {
    try (PipedConnection piped = open(10)) {
      Owner owner = new Owner(piped);
      IOException over = new IOException("over");
      piped.onLoop(() -> {
        owner.queue(pattern(15, 1));
        owner.queue(pattern(15, 2));
        piped.connection.flush();
        piped.connection.close(over);
        piped.connection.close(new IOException("over again"));
      });

      assertThat(piped.awaitEnd()).isSameAs(over);
      assertPendingOutputIsGone(piped, owner);
    }
  }

  private static void assertPendingOutputIsGone(PipedConnection piped, Owner owner) throws InterruptedException {
    assertThat(piped.pool.leasedBytes()).isZero();
    int writes = piped.local.writes();
    piped.onLoop(() -> {
      piped.remote.take(100);
      piped.connection.flush();
    });
    piped.onLoop(() -> {
      assertThat(piped.local.writes()).isEqualTo(writes);
      assertThat(owner.slices.get(1).position()).isZero();
    });
  }

  @Test
  void outputThatIsQueuedAfterTheEndIsNotKept() throws InterruptedException {
    // A closed connection continued to collect slices that are never written, and held their memory.
    try (PipedConnection piped = open(10)) {
      piped.onLoop(() -> {
        piped.connection.close(new IOException("over"));
        long queued = piped.connection.bytesQueued();
        piped.connection.queue(direct((byte) 1));
        piped.connection.flush();
        assertThat(piped.connection.bytesQueued()).isEqualTo(queued);
        assertThat(piped.local.writes()).isZero();
      });
    }
  }
}
