package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random steps of both ends of a connection in memory, beside a model with a queue for each direction. Each step must
 * do what the model does, and each round of a loop must report exactly what is ready in the model.
 */
@Timeout(60)
class MemoryTransportWalkTest {
  private static final int WALKS = 300;
  private static final int STEPS = 300;

  @Test
  void eachStepDoesWhatTheModelDoes() {
    long first = System.nanoTime();
    for (long seed = first; seed < first + WALKS; seed++) {
      Walk walk = new Walk(seed);
      int step = 0;
      try {
        for (; step < STEPS; step++) {
          walk.step();
        }
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ", step " + step + ", capacity " + walk.capacity, e);
      } finally {
        walk.one.loop.close();
        walk.two.loop.close();
      }
    }
  }

  /** An end, with its state in the model. */
  private static final class End {
    final MemoryTransport transport;
    final EventLoop loop;
    final Queue<Byte> arriving = new ArrayDeque<>();
    boolean isRegistered;
    boolean wantsReadable = true;
    boolean wantsWritable;
    boolean isShut;
    boolean isClosed;
    int reported;
    byte next;

    End(MemoryTransport transport, EventLoop loop) {
      this.transport = transport;
      this.loop = loop;
    }
  }

  private static final class Walk {
    private final Random random;
    private final int capacity;
    private final End one;
    private final End two;

    Walk(long seed) {
      random = new Random(seed);
      capacity = 1 + random.nextInt(20_000);
      MemoryTransport end = MemoryTransport.open(capacity);
      EventLoop loop = EventLoop.withoutThread("walk", Clock.system());
      one = new End(end, loop);
      two = new End(end.peer(), random.nextBoolean() ? loop : EventLoop.withoutThread("walk", Clock.system()));
    }

    private void step() throws IOException {
      boolean isFirst = random.nextBoolean();
      End end = isFirst ? one : two;
      End peer = isFirst ? two : one;
      switch (random.nextInt(40)) {
        case 0 -> close(end);
        case 1 -> shut(end);
        case 2, 3, 4 -> register(end);
        case 5, 6 -> reportReadable(end, random.nextBoolean());
        case 7, 8, 9 -> reportWritable(end, random.nextBoolean());
        case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 -> write(end, peer);
        case 20, 21, 22, 23, 24, 25, 26, 27, 28 -> read(end, peer);
        default -> round(end.loop);
      }
    }

    private static void close(End end) {
      end.transport.close();
      end.isClosed = true;
      end.arriving.clear();
    }

    private static void shut(End end) {
      if (!end.isClosed) {
        end.transport.shutdownOutput();
        end.isShut = true;
      }
    }

    private void register(End end) {
      if (end.isRegistered || end.isClosed) {
        return;
      }
      end.isRegistered = true;
      end.loop.execute(() -> {
        try {
          if (!end.isClosed) {
            end.transport.register(end.loop, operations -> end.reported |= operations);
          }
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      });
      round(end.loop);
    }

    private static void reportReadable(End end, boolean wanted) {
      end.transport.reportReadable(wanted);
      end.wantsReadable = wanted;
    }

    private static void reportWritable(End end, boolean wanted) {
      end.transport.reportWritable(wanted);
      end.wantsWritable = wanted;
    }

    private void write(End end, End peer) {
      ByteBuffer[] sources = new ByteBuffer[random.nextInt(4)];
      byte next = end.next;
      int offered = 0;
      for (int i = 0; i < sources.length; i++) {
        byte[] bytes = new byte[random.nextInt(1 << random.nextInt(14))];
        for (int b = 0; b < bytes.length; b++) {
          bytes[b] = next++;
        }
        offered += bytes.length;
        sources[i] = ByteBuffer.wrap(bytes);
      }
      int expected = Math.min(offered, capacity - peer.arriving.size());
      try {
        assertThat(end.transport.write(sources, 0, sources.length)).isEqualTo(expected);
        assertThat(end.isClosed || end.isShut || peer.isClosed).as("a write succeeds").isFalse();
      } catch (IOException e) {
        assertThat(end.isClosed || end.isShut || peer.isClosed).as("a write fails: %s", e).isTrue();
        return;
      }
      for (int i = 0; i < expected; i++) {
        peer.arriving.add(end.next++);
      }
    }

    private void read(End end, End peer) throws IOException {
      ByteBuffer target = ByteBuffer.allocate(random.nextInt(1 << random.nextInt(15)));
      boolean isAtEnd = end.arriving.isEmpty() && (peer.isShut || peer.isClosed) && target.hasRemaining();
      int expected = isAtEnd ? -1 : Math.min(end.arriving.size(), target.remaining());
      try {
        assertThat(end.transport.read(target)).isEqualTo(expected);
        assertThat(end.isClosed).as("a read succeeds").isFalse();
      } catch (IOException e) {
        assertThat(end.isClosed).as("a read fails: %s", e).isTrue();
        return;
      }
      assertThat(end.transport.isDrained()).isEqualTo(target.hasRemaining());
      target.flip();
      while (target.hasRemaining()) {
        assertThat(target.get()).isEqualTo(end.arriving.remove());
      }
    }

    private void round(EventLoop loop) {
      one.reported = 0;
      two.reported = 0;
      loop.doWork();
      assertThat(one.reported).isEqualTo(one.loop == loop ? ready(one, two) : 0);
      assertThat(two.reported).isEqualTo(two.loop == loop ? ready(two, one) : 0);
    }

    private int ready(End end, End peer) {
      if (!end.isRegistered || end.isClosed) {
        return 0;
      }
      boolean isReadable = !end.arriving.isEmpty() || peer.isShut || peer.isClosed;
      boolean hasRoom = peer.arriving.size() <= capacity / 2 || peer.isClosed;
      return (end.wantsReadable && isReadable ? SelectionKey.OP_READ : 0)
          | (end.wantsWritable && hasRoom ? SelectionKey.OP_WRITE : 0);
    }
  }
}
