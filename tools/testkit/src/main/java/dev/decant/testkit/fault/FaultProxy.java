package dev.decant.testkit.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on the loopback interface whose network can be impaired and healed while it runs. Each setting applies to
 * existing and new connections, from the next bytes on, until it changes or {@link #heal} is called. All settings may
 * apply at once. Random choices follow from the seed and the order of connections.
 *
 * <p>Receive buffers are small, so a sender that is slowed down notices it after some 100 KiB. Threads: any.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int BACKLOG = 50;
  private static final int RECEIVE_BYTES = 32 * 1024;
  private static final Duration ACCEPTOR_PATIENCE = Duration.ofSeconds(5);

  private final int targetPort;
  private final long seed;
  private final Map<Direction, LaneFaults> faults = new EnumMap<>(Direction.class);
  /**
   * A socket that is bound but does not listen. It keeps the port for this proxy while it is cut, and connections there
   * are refused.
   */
  private final Socket portHolder = new Socket();
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private @Nullable ServerSocket listener; // guarded by this; null while cut
  private @Nullable Thread acceptor; // guarded by this; waits in the last listener
  private boolean closed; // guarded by this
  private int accepted; // guarded by this

  private FaultProxy(int targetPort, long seed) {
    this.targetPort = targetPort;
    this.seed = seed;
    for (Direction direction : Direction.values()) {
      faults.put(direction, new LaneFaults());
    }
  }

  /**
   * Starts a proxy without faults, on a free port.
   *
   * @param targetPort port on the loopback interface that it connects to; it need not be in use yet
   * @param seed of all random choices
   * @return the proxy, which the caller closes
   */
  public static FaultProxy start(int targetPort, long seed) {
    FaultProxy proxy = new FaultProxy(targetPort, seed);
    try {
      proxy.portHolder.setOption(StandardSocketOptions.SO_REUSEPORT, true);
      proxy.portHolder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      proxy.listen();
    } catch (IOException e) {
      proxy.close();
      throw new UncheckedIOException("no proxy can be started in front of port " + targetPort, e);
    }
    return proxy;
  }

  /**
   * Starts another proxy in front of the same port, on another free port and without faults. This one continues.
   *
   * @return the proxy, which the caller closes
   */
  public FaultProxy startAnother() {
    return start(targetPort, seed);
  }

  /**
   * Returns the port of the proxy.
   *
   * @return port on the loopback interface, the same as long as the proxy lives
   */
  public int port() {
    return portHolder.getLocalPort();
  }

  /**
   * Delays bytes, and the end of a stream. Only buffers bound the number of delayed bytes.
   *
   * @param direction which bytes
   * @param delay from reading to writing; zero for none
   */
  public void latency(Direction direction, Duration delay) {
    faults(direction).latency(delay);
  }

  /**
   * Bounds the bytes per second of all connections together.
   *
   * @param direction which bytes
   * @param bytesPerSecond 0 for no bound
   */
  public void bandwidth(Direction direction, long bytesPerSecond) {
    faults(direction).bandwidth(bytesPerSecond);
  }

  /**
   * Forwards bytes in pieces of random length, each with a write of its own.
   *
   * @param direction which bytes
   * @param largest largest piece in bytes; 0 to forward bytes as they arrive
   */
  public void slices(Direction direction, int largest) {
    faults(direction).largestSlice(largest);
  }

  /**
   * Opens or closes a direction. With one direction open and the other closed, a connection is half-open.
   *
   * @param direction which bytes
   * @param passage what happens to them
   */
  public void passage(Direction direction, Passage passage) {
    faults(direction).passage(passage);
    if (passage == Passage.OPEN) {
      resetWhatHasLost();
    }
  }

  /**
   * Changes bytes, but not their number: bits, bytes, or numbers such as lengths. Each piece that is forwarded is
   * changed in one place or not at all; half of the changes hit its first 64 bytes. After {@link #heal} has returned,
   * no byte is changed; bytes that were changed before may still be on their way.
   *
   * @param direction which bytes
   * @param share of pieces that are changed, 0 for none to 1 for each. A piece has up to 8 KiB, or as much as
   *     {@link #slices} and {@link #bandwidth} let through at once
   * @throws IllegalArgumentException if the share is no number from 0 to 1
   */
  public void mutate(Direction direction, double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("a share of pieces is 0 to 1, not " + share);
    }
    faults(direction).mutatedShare(share);
  }

  /**
   * Returns how many pieces {@link #mutate} has changed since the proxy was started.
   *
   * @param direction which bytes
   * @return counted over all connections
   */
  public long mutations(Direction direction) {
    return faults(direction).mutations();
  }

  /**
   * Delays the report to one side that the other side has closed.
   *
   * @param direction the direction of the closed side
   * @param delay zero for none
   */
  public void slowClose(Direction direction, Duration delay) {
    faults(direction).closeDelay(delay);
  }

  /** Ends all connections with RST; new ones are accepted. */
  public void reset() {
    connections.forEach(ProxiedConnection::reset);
  }

  /** Ends all connections with RST and refuses new ones until {@link #heal}. */
  public synchronized void cut() {
    ServerSocket current = listener;
    listener = null;
    if (current != null) {
      closeQuietly(current);
      awaitAcceptor();
    }
    reset();
  }

  /** Waits until the accepting thread has left its socket: a socket is closed only after that. */
  private void awaitAcceptor() {
    Thread leaving = acceptor;
    if (leaving != null) {
      try {
        leaving.join(ACCEPTOR_PATIENCE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends all faults. Connections that have lost bytes are reset. */
  public synchronized void heal() {
    faults.values().forEach(LaneFaults::heal);
    resetWhatHasLost();
    if (listener == null && !closed) {
      try {
        listen();
      } catch (IOException e) {
        throw new UncheckedIOException("the proxy cannot listen on port " + port() + " again", e);
      }
    }
  }

  /**
   * Returns the number of open connections.
   *
   * @return the number of connections from clients
   */
  public int connections() {
    return connections.size();
  }

  private void resetWhatHasLost() {
    for (ProxiedConnection connection : connections) {
      if (connection.hasLost()) {
        connection.reset();
      }
    }
  }

  LaneFaults faults(Direction direction) {
    return Objects.requireNonNull(faults.get(Objects.requireNonNull(direction, "direction")));
  }

  void ended(ProxiedConnection connection) {
    connections.remove(connection);
  }

  private synchronized void listen() throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
      socket.setReceiveBufferSize(RECEIVE_BYTES); // accepted sockets inherit it
      socket.bind(portHolder.getLocalSocketAddress(), BACKLOG);
    } catch (IOException e) {
      closeQuietly(socket);
      throw e;
    }
    listener = socket;
    acceptor = Thread.ofVirtual().name("proxy-" + port()).start(() -> accept(socket));
  }

  private void accept(ServerSocket socket) {
    while (true) {
      try {
        Socket client = socket.accept();
        Thread.ofVirtual().start(() -> connect(client, socket));
      } catch (IOException e) {
        return; // the proxy was cut or closed
      }
    }
  }

  private void connect(Socket client, ServerSocket acceptedBy) {
    Socket broker = new Socket();
    try {
      client.setTcpNoDelay(true);
      broker.setTcpNoDelay(true);
      broker.setReceiveBufferSize(RECEIVE_BYTES);
      broker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
    } catch (IOException e) {
      refuse(client, broker);
      return;
    }
    synchronized (this) {
      if (!acceptedBy.isClosed()) {
        ProxiedConnection connection = new ProxiedConnection(this, client, broker, seed + ++accepted);
        connections.add(connection);
        connection.start();
        return;
      }
    }
    refuse(client, broker); // the proxy was cut meanwhile
  }

  private static void refuse(Socket client, Socket broker) {
    ProxiedConnection.resetOnClose(client);
    ProxiedConnection.closeQuietly(client);
    ProxiedConnection.closeQuietly(broker);
  }

  private static void closeQuietly(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed already.
    }
  }

  /** Ends all connections and releases the port. */
  @Override
  public synchronized void close() {
    closed = true;
    cut();
    ProxiedConnection.closeQuietly(portHolder);
  }
}
