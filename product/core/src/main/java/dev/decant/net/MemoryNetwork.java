package dev.decant.net;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of the process that lead to a {@link MemoryTransport} instead of a socket. Their hosts end with {@value
 * #DOMAIN}. No name server resolves such a name (RFC 6761, section 6.4). So no configuration of a test reaches a real
 * host by mistake, and a client of another process finds no host. Any thread.
 */
public final class MemoryNetwork {
  /** The end of each host name of this network. */
  public static final String DOMAIN = ".in-memory.invalid";

  /** Most connections that wait at one address, like the backlog of a socket; further ones are refused. */
  private static final int MOST_PENDING = 1_024;
  private static final Map<String, Listener> LISTENERS = new ConcurrentHashMap<>();

  private MemoryNetwork() {}

  /** Takes the connections to one address. */
  public static final class Listener implements AutoCloseable {
    private final String address;
    private final Runnable onPending;
    private final Queue<MemoryTransport> pending = new ArrayDeque<>();
    private boolean isClosed;

    private Listener(String address, Runnable onPending) {
      this.address = address;
      this.onPending = onPending;
    }

    private synchronized boolean add(MemoryTransport end) {
      return !isClosed && pending.size() < MOST_PENDING && pending.add(end);
    }

    /**
     * Takes the next connection, which belongs to the caller from then on. Any thread.
     *
     * @return null if no connection waits
     */
    public synchronized @Nullable MemoryTransport accept() {
      return pending.poll();
    }

    /** Frees the address and closes connections that were not accepted. Closing again has no effect. Any thread. */
    @Override
    public void close() {
      LISTENERS.remove(address, this);
      synchronized (this) {
        isClosed = true;
      }
      for (MemoryTransport left = accept(); left != null; left = accept()) {
        left.close();
      }
    }
  }

  /** Returns true if a host name belongs to this network. */
  public static boolean isHost(String host) {
    return host.endsWith(DOMAIN);
  }

  /**
   * Returns true if an address belongs to this network.
   *
   * @param address of the form {@code host:port}
   */
  public static boolean isAddress(String address) {
    int colon = address.lastIndexOf(':');
    return colon >= 0 && isHost(address.substring(0, colon));
  }

  /**
   * Listens at an address.
   *
   * @param host ends with {@link #DOMAIN}
   * @param port any number
   * @param onPending called on the thread of each client that has connected; must not block
   * @return takes the connections
   * @throws IOException if the address is in use
   */
  public static Listener listen(String host, int port, Runnable onPending) throws IOException {
    if (!isHost(host)) {
      throw new IllegalArgumentException("host: " + host + " does not end with " + DOMAIN);
    }
    String address = host + ":" + port;
    Listener made = new Listener(address, onPending);
    if (LISTENERS.putIfAbsent(address, made) != null) {
      throw new BindException("address " + address + " is in use");
    }
    return made;
  }

  /**
   * Connects to an address.
   *
   * @param host ends with {@link #DOMAIN}
   * @param port any number
   * @return the client's end, established
   * @throws IOException if nothing listens there, or too many connections wait there
   */
  public static MemoryTransport connect(String host, int port) throws IOException {
    String address = host + ":" + port;
    Listener listener = LISTENERS.get(address);
    MemoryTransport end = MemoryTransport.open();
    if (listener == null || !listener.add(end.peer())) {
      throw new ConnectException(listener == null
          ? "Connection refused: nothing listens at " + address + ", an address within this process"
          : "Connection refused: " + address + " closes, or too many connections wait there");
    }
    listener.onPending.run();
    return end;
  }
}
