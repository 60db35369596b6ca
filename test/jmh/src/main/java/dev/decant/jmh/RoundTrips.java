package dev.decant.jmh;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.completion.Completion;
import dev.decant.loop.Agent;
import dev.decant.loop.Connection;
import dev.decant.loop.EventLoop;
import dev.decant.loop.FrameMemory;
import dev.decant.loop.SocketTransport;
import dev.decant.time.Clock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Synchronous round trips over a loopback socket, with the waiting thread driving the loop and with a dedicated I/O
 * thread that signals it, in turns. A command of its own, since JMH counts neither processor time by thread nor context
 * switches. Its class path is that of {@link BufferAccessBenchmark}, its main class this one.
 *
 * <p>Linux only: context switches are read from {@code /proc}.
 */
public final class RoundTrips implements Connection.Handler, Agent, AutoCloseable {
  private static final int FRAME_BYTES = 150;
  private static final int WARM_UP = 50_000;
  private static final int MEASURED = 50_000;
  private static final int TURNS = 3;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final EventLoop loop = EventLoop.start("decant-trips", Clock.system());
  private final BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false);
  private final Connection connection;
  private final ByteBuffer length = ByteBuffer.allocateDirect(4).putInt(0, FRAME_BYTES);
  private final ByteBuffer payload = ByteBuffer.allocateDirect(FRAME_BYTES);
  private final Completion answer = new Completion();
  private final BooleanSupplier isAnswered = this::isAnswered;
  private final Histogram nanos = new Histogram(PATIENCE_NANOS, 3);
  private volatile long ticket;
  private volatile long wanted;
  private volatile boolean connected;
  private long sent; // owner of the loop only

  private RoundTrips() throws IOException, InterruptedException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketTransport transport = SocketTransport.connect((InetSocketAddress) server.getLocalAddress());
      connection = new Connection(loop, transport, this, new FrameMemory(loop, pool), 1_000);
      SocketChannel peer = server.accept();
      Thread.ofPlatform().name("echo").daemon().start(() -> echo(peer));
    }
    loop.execute(connection::open);
    loop.execute(() -> loop.add(this));
    if (!loop.driveUntil(() -> connected, System.nanoTime() + PATIENCE_NANOS)) {
      throw new IllegalStateException("no connection over loopback");
    }
  }

  private static void echo(SocketChannel peer) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
    try (peer) {
      while (peer.read(bytes.clear()) >= 0) {
        peer.write(bytes.flip());
      }
    } catch (IOException e) {
      System.err.println("the echo ended: " + e.getMessage());
    }
  }

  private boolean isAnswered() {
    return answer.isDone(ticket);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void trip(boolean borrow) throws InterruptedException {
    long started = System.nanoTime();
    ticket = answer.begin();
    wanted++;
    boolean answered;
    if (borrow) {
      answered = loop.driveUntil(isAnswered, started + PATIENCE_NANOS);
    } else {
      loop.signal();
      answered = answer.await(ticket, started + PATIENCE_NANOS);
    }
    if (!answered) {
      throw new IllegalStateException("no answer");
    }
    nanos.recordValue(System.nanoTime() - started);
  }

  private void trips(int count, boolean borrow) throws InterruptedException {
    if (!borrow) {
      loop.beginParkedWait();
    }
    try {
      for (int i = 0; i < count; i++) {
        trip(borrow);
      }
    } finally {
      if (!borrow) {
        loop.endParkedWait();
      }
    }
  }

  @Override
  public void doWork() {
    if (sent < wanted) {
      sent++;
      connection.queue(length.clear());
      connection.queue(payload.clear());
      connection.flush();
    }
  }

  @Override
  public void onConnected() {
    connected = true;
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    answer.complete(ticket, to - from);
  }

  @Override
  public void onClosed(Throwable cause) {}

  @Override
  public void close() {
    loop.execute(() -> connection.close(new IOException("done"))); // which ends the echo
    loop.close();
    pool.close();
  }

  /** Context switches of this process so far, without those of the echo and of the compiler. */
  private static long contextSwitches() throws IOException {
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        String name = Files.readString(task.resolve("comm")).strip();
        if (!name.equals("waiter") && !name.startsWith("decant")) {
          continue;
        }
        for (String line : Files.readAllLines(task.resolve("status"))) {
          if (line.contains("ctxt_switches")) {
            sum += Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
          }
        }
      }
    }
    return sum;
  }

  private static long cpuNanos() {
    long sum = 0;
    var threads = ManagementFactory.getThreadMXBean();
    for (var info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info != null && (info.getThreadName().equals("waiter") || info.getThreadName().startsWith("decant"))) {
        sum += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
      }
    }
    return sum;
  }

  private void measure(boolean borrow) throws IOException, InterruptedException {
    trips(MEASURED / 10, borrow);
    nanos.reset();
    long switches = contextSwitches();
    long cpu = cpuNanos();
    trips(MEASURED, borrow);
    cpu = cpuNanos() - cpu;
    switches = contextSwitches() - switches;
    System.out.printf(Locale.ROOT, "%-9s p50 %6.1f us  p99 %6.1f us  CPU %5.1f us  context switches %.2f%n",
        borrow ? "borrowed" : "dedicated", nanos.getValueAtPercentile(50) / 1e3,
        nanos.getValueAtPercentile(99) / 1e3, cpu / 1e3 / MEASURED, switches / (double) MEASURED);
  }

  /**
   * Prints one line for each sample.
   *
   * @param arguments none
   * @throws InterruptedException if interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    Thread.ofPlatform().name("waiter").start(() -> {
      try (RoundTrips trips = new RoundTrips()) {
        trips.trips(WARM_UP, true);
        trips.trips(WARM_UP, false);
        for (int turn = 0; turn < TURNS; turn++) {
          trips.measure(true);
          trips.measure(false);
          trips.measure(false);
          trips.measure(true);
        }
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }).join();
  }
}
