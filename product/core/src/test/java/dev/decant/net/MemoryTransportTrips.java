package dev.decant.net;

import dev.decant.buffer.BufferPool;
import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import dev.decant.loop.WatchedChannel;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Prints the time of a connection and of a round trip of 100 bytes: over a loopback port, a Unix domain socket and
 * memory, in turns. The figures of decision 0047 come from this program.
 */
final class MemoryTransportTrips {
  private static final int TURNS = 15;
  private static final int WARM_UP_TURNS = 3;
  private static final int OPENS = 200;
  private static final int TRIPS = 3_000;
  private static final long DEADLINE_SECONDS = 60;

  /** A pair of connected streams. */
  interface Form {
    Transport[] open() throws IOException;
  }

  /** A connected channel of any kind. */
  private static final class Channel implements Transport {
    private final SocketChannel channel;
    private @Nullable WatchedChannel watched;

    Channel(SocketChannel channel) throws IOException {
      this.channel = channel;
      channel.configureBlocking(false);
    }

    @Override
    public void register(EventLoop loop, ReadyListener listener) throws IOException {
      watched = loop.watch(channel, SelectionKey.OP_READ, listener);
    }

    @Override
    public boolean establish() {
      return true;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return channel.read(target);
    }

    @Override
    public boolean isDrained() {
      return true;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
      return channel.write(sources, offset, length);
    }

    @Override
    public void reportWritable(boolean wanted) {
      Objects.requireNonNull(watched).want(SelectionKey.OP_WRITE, wanted);
    }

    @Override
    public void reportReadable(boolean wanted) {
      Objects.requireNonNull(watched).want(SelectionKey.OP_READ, wanted);
    }

    @Override
    public void shutdownOutput() throws IOException {
      channel.shutdownOutput();
    }

    @Override
    public void close() {
      WatchedChannel w = watched;
      if (w != null) {
        w.close();
      }
      try {
        channel.close();
      } catch (IOException e) {
        // The descriptor is released even if close throws.
      }
    }
  }

  private MemoryTransportTrips() {}

  private static Form sockets(ServerSocketChannel server, @Nullable StandardProtocolFamily family) throws IOException {
    SocketAddress address = Objects.requireNonNull(server.getLocalAddress());
    return () -> {
      SocketChannel client = family == null ? SocketChannel.open() : SocketChannel.open(family);
      client.connect(address);
      return new Transport[] {new Channel(client), new Channel(server.accept())};
    };
  }

  private static Transport[] memory(boolean isServedInline) {
    MemoryTransport end = MemoryTransport.open();
    if (isServedInline) {
      end.peer().serveInline();
    }
    return new Transport[] {end, end.peer()};
  }

  /** Returns the microseconds to open and close a pair. */
  private static double opens(Form form) throws IOException {
    long begin = System.nanoTime();
    for (int i = 0; i < OPENS; i++) {
      for (Transport end : form.open()) {
        end.close();
      }
    }
    return (System.nanoTime() - begin) / 1e3 / OPENS;
  }

  /** Returns the microseconds of a round trip whose waiter drives its loop. */
  private static double trips(Form form) throws IOException, InterruptedException {
    try (EventLoop one = EventLoop.start("one", Clock.system());
        EventLoop other = EventLoop.start("other", Clock.system());
        BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false)) {
      Transport[] ends = form.open();
      var client = new MemoryTransportThreadsTest.Trips(one, pool, ends[0], false);
      var server = new MemoryTransportThreadsTest.Trips(other, pool, ends[1], true);
      other.execute(server.connection::open);
      one.execute(client.connection::open);
      long begin = System.nanoTime();
      for (int i = 1; i <= TRIPS; i++) {
        int wanted = i;
        one.execute(client::send);
        if (!one.driveUntil(() -> client.received == wanted,
            System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS))) {
          throw new IllegalStateException("no answer");
        }
      }
      double micros = (System.nanoTime() - begin) / 1e3 / TRIPS;
      IOException done = new IOException("done");
      one.execute(() -> client.connection.close(done));
      other.execute(() -> server.connection.close(done));
      return micros;
    }
  }

  /** Runs the measurements and prints a line for each form. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("decant-trips");
    Path file = folder.resolve("socket");
    try (ServerSocketChannel port = ServerSocketChannel.open();
        ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      unix.bind(UnixDomainSocketAddress.of(file));
      String[] names = {"loopback port", "Unix domain socket", "memory", "memory, served inline"};
      Form[] forms = {sockets(port, null), sockets(unix, StandardProtocolFamily.UNIX), () -> memory(false),
          () -> memory(true)};
      double[][] open = new double[forms.length][TURNS];
      double[][] trip = new double[forms.length][TURNS];
      for (int turn = 0; turn < TURNS; turn++) {
        for (int form = 0; form < forms.length; form++) {
          open[form][turn] = opens(forms[form]);
          trip[form][turn] = trips(forms[form]);
        }
      }
      for (int form = 0; form < forms.length; form++) {
        System.out.printf("%-22s open and close %s us, round trip %s us%n", names[form], summary(open[form]),
            summary(trip[form]));
      }
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }

  private static String summary(double[] turns) {
    double[] sorted = Arrays.copyOfRange(turns, WARM_UP_TURNS, TURNS);
    Arrays.sort(sorted);
    return "%.1f (%.1f to %.1f)".formatted(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
  }
}
