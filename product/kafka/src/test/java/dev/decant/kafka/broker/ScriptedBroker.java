package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ApiKey;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A broker on the loopback interface. It keeps the topic {@value #TOPIC} in memory and responds as Kafka does. A test
 * can replace or disturb any response. Each connection has one thread, which handles requests in order with bounded
 * waits.
 */
public final class ScriptedBroker implements AutoCloseable {
  public static final String TOPIC = "orders";
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int LARGEST_REQUEST = 8 << 20;

  private final ServerSocket server;
  private final ScriptedState state;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Null for no encryption. */
  private volatile @Nullable SSLContext tls;
  private volatile boolean wantsCertificates;
  /** The names in the certificates of clients, one for each connection. */
  private final List<String> certificates = new CopyOnWriteArrayList<>();

  /** The time without a request after which a connection is closed; 0 for never. */
  private volatile int idleMillis;

  // Guarded by the monitor.
  private final Map<ApiKey, ArrayDeque<Script>> once = new EnumMap<>(ApiKey.class);
  private final Map<ApiKey, Script> always = new EnumMap<>(ApiKey.class);
  private final List<Request> requests = new ArrayList<>();
  private final Set<Socket> sockets = new HashSet<>();
  private int connections;
  private boolean closed;

  private ScriptedBroker(int node, ScriptedState state) throws IOException {
    this.state = state;
    server = new ServerSocket();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    state.announce(node, server.getLocalPort());
  }

  /** Starts node 1, which leads all partitions of the topic. */
  public static ScriptedBroker start(int partitions) {
    return start(1, new ScriptedState(1, partitions));
  }

  /** Starts another node with the same partitions. It leads none until the test says otherwise. */
  public ScriptedBroker peer(int node) {
    return start(node, state);
  }

  private static ScriptedBroker start(int node, ScriptedState state) {
    try {
      ScriptedBroker broker = new ScriptedBroker(node, state);
      broker.threads.execute(broker::accept);
      return broker;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns host and port, as clients name this broker. */
  public String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /**
   * Encrypts connections that are made from now on.
   *
   * @param context keys, and trust in clients
   * @param needsCertificates true if clients must have a certificate
   */
  public void secure(SSLContext context, boolean needsCertificates) {
    wantsCertificates = needsCertificates;
    tls = context;
  }

  /** Returns the subjects of the certificates that clients have shown so far. */
  public List<String> certificates() {
    return List.copyOf(certificates);
  }

  private Socket secured(Socket socket) throws IOException {
    SSLContext context = tls;
    if (context == null) {
      return socket;
    }
    SSLSocket secured = (SSLSocket) context.getSocketFactory().createSocket(socket, null, true);
    secured.setUseClientMode(false);
    secured.setNeedClientAuth(wantsCertificates);
    secured.startHandshake();
    if (wantsCertificates) {
      certificates.add(secured.getSession().getPeerPrincipal().getName());
    }
    return secured;
  }

  /** Returns the broker's state. */
  public ScriptedState state() {
    return state;
  }

  /** Runs scripts for the next requests of an API, one for each. */
  public synchronized void next(ApiKey api, Script... scripts) {
    once.computeIfAbsent(api, key -> new ArrayDeque<>()).addAll(List.of(scripts));
  }

  /** Runs a script for each request of an API from now on; {@link Script#STANDARD} restores the usual responses. */
  public synchronized void always(ApiKey api, Script script) {
    always.put(api, script);
  }

  /** Closes connections that are made from now on after this time without a request. */
  public void closeIdleAfter(Duration idle) {
    idleMillis = Math.toIntExact(idle.toMillis());
  }

  /** Returns all requests of an API so far. */
  public synchronized List<Request> requests(ApiKey api) {
    return requests.stream().filter(r -> r.api() == api).toList();
  }

  /** Returns all requests so far. */
  public synchronized List<Request> requests() {
    return List.copyOf(requests);
  }

  /** Waits until the requests of an API meet a condition, and returns them. */
  public synchronized List<Request> await(ApiKey api, Predicate<List<Request>> enough) throws InterruptedException {
    long deadline = System.nanoTime() + WAIT_NANOS;
    List<Request> seen = requests(api);
    while (!enough.test(seen)) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("waited in vain for requests of " + api + "; there were " + requests);
      }
      wait(left);
      seen = requests(api);
    }
    return seen;
  }

  /** Waits for a number of requests of an API, and returns them. */
  public List<Request> await(ApiKey api, int count) throws InterruptedException {
    return await(api, seen -> seen.size() >= count);
  }

  /** Returns the number of connections so far; a request names its connection by this number, from 1. */
  public synchronized int connections() {
    return connections;
  }

  /** Ends all open connections. */
  public void cutAll() throws IOException {
    for (Socket socket : open()) {
      socket.close();
    }
  }

  private synchronized List<Socket> open() {
    return List.copyOf(sockets);
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        int number = register(socket);
        if (number > 0) {
          threads.execute(() -> serve(socket, number));
        }
      }
    } catch (IOException e) {
      // closed
    }
  }

  private synchronized int register(Socket socket) throws IOException {
    if (closed) {
      socket.close();
      return 0;
    }
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return ++connections;
  }

  private void serve(Socket accepted, int number) {
    try (accepted; Socket socket = secured(accepted)) {
      socket.setSoTimeout(idleMillis);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readInt();
        if (length < 0 || length > LARGEST_REQUEST) {
          throw new IOException("a request of " + length + " bytes");
        }
        Request request = Request.read(number, in.readNBytes(length));
        take(request).run(new Exchange(this, socket, request));
      }
    } catch (IOException e) {
      // the client has closed the connection or is idle, or the script has cut it
    } finally {
      forget(accepted);
    }
  }

  private synchronized void forget(Socket socket) {
    sockets.remove(socket);
  }

  private synchronized Script take(Request request) {
    requests.add(request);
    notifyAll();
    ArrayDeque<Script> scripts = once.get(request.api());
    Script script = scripts == null ? null : scripts.pollFirst();
    return script != null ? script : always.getOrDefault(request.api(), Script.STANDARD);
  }

  /**
   * Checks that no request names a partition twice: a broker takes one of its two batches, and refuses the batches that
   * follow the other one.
   */
  private synchronized void checkPartitionsAreNamedOnce() {
    for (Request request : requests(ApiKey.PRODUCE)) {
      List<String> named = request.produce().topicData().stream()
          .flatMap(t -> t.partitionData().stream().map(p -> t.name() + ' ' + t.topicId() + '-' + p.index())).toList();
      if (new HashSet<>(named).size() < named.size()) {
        throw new AssertionError("a Produce request names a partition twice: " + named);
      }
    }
  }

  /** Stops the broker, waits for its threads to end, and checks rules that hold for all requests. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    state.stop();
    try {
      server.close();
      cutAll();
      threads.shutdown();
      if (!threads.awaitTermination(WAIT_NANOS, TimeUnit.NANOSECONDS)) {
        throw new AssertionError("a thread of the scripted broker does not end");
      }
      checkPartitionsAreNamedOnce();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
