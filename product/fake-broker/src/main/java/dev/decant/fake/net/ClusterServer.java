package dev.decant.fake.net;

import dev.decant.buffer.BufferPool;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.fault.FaultRules;
import dev.decant.fake.journal.Journal;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.loop.WatchedChannel;
import dev.decant.net.FrameMemory;
import dev.decant.net.MemoryNetwork;
import dev.decant.net.MemoryTransport;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsMemory;
import dev.decant.net.tls.TlsTransport;
import dev.decant.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of all brokers, on loopback ports or within the process, and their connections, all on the cluster's
 * loop. Owner of the loop only.
 */
public final class ClusterServer {
  private static final ServerLog LOG = new ServerLog(ClusterServer.class);
  private static final int BACKLOG = 1024;
  /** The first port of each broker in memory, where each has its own host. */
  private static final int FIRST_PORT_IN_MEMORY = 9092;
  /** The client host that rules and groups see for a client within the process: the same as over a loopback port. */
  private static final String HOST_OF_CLIENTS = "/127.0.0.1";
  private static final int CHUNK_BYTES = 16 * 1024;
  /** Time for a large request to arrive while others wait for its memory. */
  private static final int HALF_FRAME_MILLIS = 30_000;
  /** Memory for a thousand TLS connections; further connections wait. */
  private static final long TLS_BYTES = 64L << 20;

  private final EventLoop loop;
  private final Cluster cluster;
  private final ApiTable apis;
  private final Journal journal;
  private final FaultRules faults;
  private final BufferPool pool;
  private final FrameMemory memory;
  private final ListenerSecurity security;
  /** Null without TLS. */
  private final @Nullable BufferPool tlsPool;
  private final @Nullable TlsMemory tlsMemory;
  private final ResponseEncoder encoder = new ResponseEncoder();
  private final Map<Integer, WatchedChannel> listening = new HashMap<>();
  private final Map<Integer, MemoryNetwork.Listener> listeningInMemory = new HashMap<>();
  private final Set<ClientConnection> connections = new LinkedHashSet<>();
  /**
   * For each broker, the requests that a fault delays. They are lost when the broker dies; without that the next life
   * of the broker applied them.
   */
  private final Map<Integer, Set<Timer>> putOff = new HashMap<>();
  /** Large frames that were incomplete when others lacked memory, by their numbers in their connections. */
  private final Map<ClientConnection, Long> halfFrames = new HashMap<>();
  private final Timer halfFrameTimer = new Timer(this::endHalfFrames);
  private long connectionsMade;

  /** Creates a server without listeners. */
  public ClusterServer(EventLoop loop, Cluster cluster, ApiTable apis, Journal journal, FaultRules faults,
      ListenerSecurity security) {
    this.loop = loop;
    this.cluster = cluster;
    this.apis = apis;
    this.journal = journal;
    this.faults = faults;
    // Memory for two of the largest requests at once; all others wait for it, and their clients with them.
    this.pool = new BufferPool(
        Math.max(2L * cluster.settings().getInt("socket.request.max.bytes"), CHUNK_BYTES), CHUNK_BYTES);
    this.memory = FrameMemory.lending(loop, pool);
    this.security = security;
    this.tlsPool = security.tls() == null ? null : new BufferPool(TLS_BYTES, CHUNK_BYTES);
    this.tlsMemory = tlsPool == null ? null : new TlsMemory(loop, tlsPool);
  }

  EventLoop loop() {
    return loop;
  }

  Cluster cluster() {
    return cluster;
  }

  ApiTable apis() {
    return apis;
  }

  Journal journal() {
    return journal;
  }

  FaultRules faults() {
    return faults;
  }

  ListenerSecurity security() {
    return security;
  }

  FrameMemory memory() {
    return memory;
  }

  ResponseEncoder encoder() {
    return encoder;
  }

  /**
   * Lets a broker listen on the loopback interface, or within the process if its host is one in memory.
   *
   * @param broker a broker that does not listen
   * @param port 0 for any free port other than its last one
   * @throws IOException if the port is in use
   */
  public void listen(Broker broker, int port) throws IOException {
    if (MemoryNetwork.isHost(broker.host())) {
      listenInMemory(broker, port);
    } else {
      listenOnLoopback(broker, port);
    }
  }

  private void listenInMemory(Broker broker, int port) throws IOException {
    int next = broker.port() == 0 ? FIRST_PORT_IN_MEMORY : broker.port() + 1;
    int chosen = port == 0 ? next : port;
    Runnable accept = () -> acceptInMemory(broker);
    listeningInMemory.put(broker.id(), MemoryNetwork.listen(broker.host(), chosen, () -> {
      // A wake-up of the loop's thread costs more than the request: the client's thread serves it while that thread
      // sleeps.
      if (!loop.tryRun(accept)) {
        loop.execute(accept);
      }
    }));
    broker.started(chosen);
  }

  private void acceptInMemory(Broker broker) {
    MemoryNetwork.Listener listener = listeningInMemory.get(broker.id());
    MemoryTransport end = listener == null ? null : listener.accept();
    while (listener != null && end != null) {
      end.serveInline();
      TlsContext tls = security.tls();
      serve(broker, tls == null || tlsMemory == null
          ? end
          : TlsTransport.server(tls, end, "a client of this process", tlsMemory), HOST_OF_CLIENTS);
      end = listener.accept();
    }
  }

  private void listenOnLoopback(Broker broker, int port) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.bind(new InetSocketAddress(broker.host(), port), BACKLOG);
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      listening.put(broker.id(), loop.watch(channel, SelectionKey.OP_ACCEPT, ready -> accept(channel, broker)));
      broker.started(local.getPort());
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw new IOException("broker " + broker.id() + " cannot listen on port " + port + ": " + e.getMessage(), e);
    }
  }

  private int accept(ServerSocketChannel channel, Broker broker) {
    int accepted = 0;
    try {
      for (SocketChannel peer = channel.accept(); peer != null; peer = channel.accept()) {
        accepted++;
        SocketTransport transport = SocketTransport.accepted(peer);
        InetSocketAddress from = transport.remoteAddress();
        String host = from == null ? "" : "/" + from.getAddress().getHostAddress();
        serve(broker, secured(transport), host);
      }
    } catch (IOException e) { // for example no free file descriptors: the client's connection waits or ends
      LOG.log(System.Logger.Level.WARNING, "a connection to the fake {0} cannot be accepted: {1}", broker, e);
    }
    return accepted;
  }

  private void serve(Broker broker, Transport transport, String clientHost) {
    ClientConnection connection = new ClientConnection(this, broker, ++connectionsMade, transport, clientHost);
    connections.add(connection);
    connection.open();
  }

  private Transport secured(SocketTransport accepted) {
    TlsContext tls = security.tls();
    return tls == null || tlsMemory == null ? accepted : TlsTransport.server(tls, accepted, tlsMemory);
  }

  void closed(ClientConnection connection, Throwable cause) {
    connections.remove(connection);
    cluster.disconnected(connection.number());
    if (cause instanceof IOException) {
      LOG.log(System.Logger.Level.DEBUG, "a connection to the fake {0} has ended: {1}", connection.broker(), cause);
    } else { // for example a condition of a test's fault that has thrown
      LOG.log(System.Logger.Level.ERROR, "a connection to the fake " + connection.broker() + " has failed", cause);
    }
  }

  /**
   * Handles a large request that finds no memory: incomplete requests that hold memory must arrive within a time, or
   * their connections are closed. Otherwise a client that sends half of a large request, and waits, would hold that
   * memory for ever.
   */
  void memoryIsShort() {
    if (halfFrames.isEmpty()) {
      for (ClientConnection connection : connections) {
        long half = connection.halfFrame();
        if (half >= 0) {
          halfFrames.put(connection, half);
        }
      }
      if (!halfFrames.isEmpty()) {
        cluster.schedule(halfFrameTimer, HALF_FRAME_MILLIS);
      }
    }
  }

  private void endHalfFrames() {
    Map<ClientConnection, Long> suspects = Map.copyOf(halfFrames);
    halfFrames.clear();
    suspects.forEach((connection, half) -> {
      if (connection.halfFrame() == half) {
        connection.end("a request is not whole after " + HALF_FRAME_MILLIS + " ms, and others wait for its memory");
      }
    });
    if (connections.stream().anyMatch(ClientConnection::waitsForMemory)) {
      memoryIsShort();
    }
  }

  /** Runs a task of a broker after a time of the cluster's clock, unless the broker dies before. */
  void after(Broker broker, int millis, Runnable task) {
    Set<Timer> ofBroker = putOff.computeIfAbsent(broker.id(), id -> new HashSet<>());
    Timer[] timer = new Timer[1];
    timer[0] = new Timer(() -> {
      ofBroker.remove(timer[0]);
      task.run();
    });
    ofBroker.add(timer[0]);
    cluster.schedule(timer[0], millis);
  }

  private void drop(Broker broker) {
    putOff.getOrDefault(broker.id(), Set.of()).forEach(cluster::cancel);
    putOff.remove(broker.id());
  }

  /** Closes a broker's port and its connections. The port is free after the loop's next round. */
  public void stop(Broker broker) {
    WatchedChannel channel = listening.remove(broker.id());
    if (channel != null) {
      channel.close();
    }
    MemoryNetwork.Listener listener = listeningInMemory.remove(broker.id());
    if (listener != null) {
      listener.close();
    }
    broker.stopped();
    disconnect(broker);
    drop(broker);
  }

  /** Closes all connections, and drops all requests that a fault delays. */
  public void disconnectAll() {
    for (Broker broker : cluster.brokers()) {
      disconnect(broker);
      drop(broker);
    }
  }

  /** Closes the connections of a broker; clients may connect again. */
  public void disconnect(Broker broker) {
    List.copyOf(connections).stream().filter(c -> c.broker() == broker)
        .forEach(c -> c.end(broker + " was stopped, or a test has cut its connections"));
  }

  /** Closes all ports and connections. */
  public void close() {
    List.copyOf(cluster.brokers()).forEach(this::stop);
  }

  /** Frees the memory of large requests, after the loop has ended. */
  public void freeMemory() {
    pool.close();
    if (tlsPool != null) {
      tlsPool.close();
    }
  }
}
