package dev.decant.kafka.client;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.clientmetrics.MetricsPush;
import dev.decant.kafka.clientmetrics.PushSources;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.LinkSecurity;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.loop.EventLoop;
import dev.decant.net.FrameMemory;
import dev.decant.net.tls.TlsMemory;
import dev.decant.runtime.Finding;
import dev.decant.time.Clock;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a client: its loop, cluster and memory, and the producers and consumers that use them. Opened and closed
 * as a whole. Any thread.
 */
final class ClientParts implements ClientInternals {
  private static final int FETCH_CHUNK_BYTES = 64 * 1024;
  /**
   * The TLS memory of ten busy connections, which is what counts as direct memory of a client. The bound allows far
   * more connections, and only open ones take memory. A client that counted its whole bound was once warned of an
   * OutOfMemoryError that could not come.
   */
  private static final long COUNTED_TLS_BYTES = 10L * 3 * TlsMemory.CONNECTION_BYTES;
  private static final long LOOP_PATIENCE_NANOS = 5_000_000_000L;

  private final EventLoop loop;
  private final BufferPool fetchMemory;
  private final SendMemory sendMemory;
  private final AtomicBoolean fetchMemoryUsed = new AtomicBoolean();
  private final AtomicBoolean sendMemoryUsed = new AtomicBoolean();
  private final Cluster cluster;
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final PushSources pushSources = new PushSources();
  /** Pushes metrics to brokers (KIP-714); null if the application wants none pushed. */
  private final @Nullable MetricsPush metricsPush;
  private final Health health;
  /** Null if connections are not encrypted. */
  private final @Nullable ClientTls tls;
  private final Set<AutoCloseable> users = ConcurrentHashMap.newKeySet();
  private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();
  private final RuntimeFit runtimeFit;
  private final int requestTimeoutMillis;
  private final AtomicBoolean closed = new AtomicBoolean();

  ClientParts(KafkaClientBuilder builder) {
    var addresses = builder.addresses();
    TlsContext tlsContext = builder.tlsContext();
    loop = builder.openLoop();
    fetchMemory = new BufferPool(builder.largestResponse, FETCH_CHUNK_BYTES);
    fetchMemory.limit(builder.fetchMemory);
    fetchMemory.keep(builder.fetchMemory);
    sendMemory = new SendMemory(loop, new BufferPool(builder.bufferMemory, SendMemory.SMALLEST_BYTES));
    tls = tlsContext == null
        ? null
        : new ClientTls(tlsContext, loop, telemetry.errors(), builder.tlsMemory);
    LinkSecurity security = LinkSecurity.NONE.withSasl(builder.sasl);
    security = tls == null ? security : security.withTls(tls.context(), tls.memory());
    long metadataMaxAgeNanos = Timeouts.nanos(builder.metadataMaxAge);
    cluster = new Cluster(loop, new FrameMemory(loop, fetchMemory), telemetry, builder.linkSettings(security),
        addresses, metadataMaxAgeNanos);
    cluster.allowAutoCreateTopics(builder.allowAutoCreateTopics);
    cluster.metadataMaxIdle(Timeouts.nanos(builder.metadataMaxIdle));
    if (tls != null) {
      tls.start(cluster, !builder.sharesTlsContext());
    }
    health = new Health(loop, cluster, telemetry, metadataMaxAgeNanos);
    requestTimeoutMillis = (int) Math.min(Integer.MAX_VALUE, Timeouts.millis(builder.requestTimeout));
    MetricsPush push = builder.enableMetricsPush ? new MetricsPush(loop, cluster, telemetry, pushSources) : null;
    metricsPush = push;
    if (push != null) {
      loop.execute(push::start);
    }
    runtimeFit = new RuntimeFit(builder.runtimeCheck);
    runtimeFit.addDirectMemory(tls == null ? 0 : Math.min(builder.tlsMemory, COUNTED_TLS_BYTES));
    if (tls == null && builder.sasl != null && builder.sasl.sendsSecret()) {
      runtimeFit.addSecretInTheClear(builder.sasl.name());
    }
  }

  @Override
  public ClientInternals requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the client is closed");
    }
    return this;
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  @Override
  public Cluster cluster() {
    return cluster;
  }

  /**
   * Returns the memory for responses. It counts as direct memory from the first call on: without consumers it is not
   * used.
   */
  @Override
  public BufferPool fetchMemory() {
    if (fetchMemoryUsed.compareAndSet(false, true)) {
      addDirectMemory(fetchMemory.limit());
    }
    return fetchMemory;
  }

  /** Counts as direct memory from its first use on. */
  @Override
  public SendMemory sendMemory() {
    if (sendMemoryUsed.compareAndSet(false, true)) {
      addDirectMemory(sendMemory.pool().maxBytes());
    }
    return sendMemory;
  }

  @Override
  public long sendMemoryBytes() {
    return sendMemory.pool().maxBytes();
  }

  @Override
  public <T> T shared(Class<T> type, Supplier<T> maker) {
    return type.cast(shared.computeIfAbsent(type, key -> maker.get()));
  }

  @Override
  public int requestTimeoutMillis() {
    return requestTimeoutMillis;
  }

  @Override
  public Telemetry telemetry() {
    return telemetry;
  }

  @Override
  public PushSources pushSources() {
    return pushSources;
  }

  @Override
  public void addDirectMemory(long bytes) {
    runtimeFit.addDirectMemory(bytes);
  }

  /** Returns the direct memory that the client may take, as the runtime check counts it. */
  long countedDirectBytes() {
    return runtimeFit.directBytes();
  }

  @Override
  public void removeDirectMemory(long bytes) {
    runtimeFit.removeDirectMemory(bytes);
  }

  @Override
  public void register(AutoCloseable user) {
    users.add(user);
    if (closed.get()) { // close() may have passed the users already, and would never close this one
      users.remove(user);
      throw new IllegalStateException("the client is closed");
    }
  }

  @Override
  public void unregister(AutoCloseable user) {
    users.remove(user);
  }

  @Override
  public void runOnLoop(Runnable task) {
    if (loop.isOwner()) {
      // A listener calls, possibly while it changes the same state. It must not wait for itself.
      loop.execute(task);
      return;
    }
    AtomicBoolean done = new AtomicBoolean();
    loop.execute(() -> {
      try {
        task.run();
      } finally {
        done.set(true);
        cluster.waiters().signalAll();
      }
    });
    awaitUninterruptibly(done::get);
  }

  private void awaitUninterruptibly(BooleanSupplier done) {
    long deadline = loop.clock().nanoTime() + LOOP_PATIENCE_NANOS;
    boolean interrupted = false;
    while (true) {
      try {
        cluster.waiters().await(done, deadline);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the context of TLS; null if connections are not encrypted. */
  @Nullable
  TlsContext tlsContext() {
    ClientTls secured = tls;
    return secured == null ? null : secured.context();
  }

  List<Finding> runtimeFindings() {
    return runtimeFit.findings();
  }

  List<ConsumerStatus> consumers() {
    List<ConsumerStatus> statuses = new ArrayList<>();
    for (AutoCloseable user : users) {
      if (user instanceof Consumer<?, ?> consumer) {
        statuses.add(consumer.status());
      }
    }
    return statuses;
  }

  ClientStatus status() {
    if (closed.get()) {
      return snapshot(false, List.of(), null, List.of("the client is closed"));
    }
    List<ConnectionStatus> connections = cluster.linkStatus();
    Duration age = cluster.metadataAge();
    long silent = health.loopSilentNanos();
    return snapshot(silent < LoopProbe.PATIENCE_NANOS, connections, age, health.problems(silent, connections, age));
  }

  private ClientStatus snapshot(boolean loopResponds, List<ConnectionStatus> links, @Nullable Duration age,
      List<String> problems) {
    TlsContext secured = tlsContext();
    return new ClientStatus(!closed.get(), loopResponds, links, age, fetchMemory.leasedBytes(), fetchMemory.maxBytes(),
        problems,
        telemetry.errors().last(), runtimeFit.recentFindings(),
        secured == null ? OptionalLong.empty() : secured.daysToExpiry());
  }

  Uuid instanceId(Duration timeout) throws InterruptedException {
    MetricsPush push = metricsPush;
    if (push == null) {
      throw new IllegalStateException("enable.metrics.push is false: no broker has given this client an instance id");
    }
    if (closed.get() || loop.isOwner()) {
      throw new IllegalStateException(
          closed.get() ? "the client is closed" : "a listener must not wait for an instance id");
    }
    long deadline = Timeouts.deadline(loop.clock().nanoTime(), timeout);
    loop.execute(push::connect);
    cluster.waiters().await(() -> push.instanceId() != null || push.why() != null, deadline);
    Uuid id = push.instanceId();
    String why = push.why();
    if (id == null && why != null) {
      throw new KafkaException(ErrorCode.UNSUPPORTED_VERSION, "client instance id: " + why);
    }
    if (id == null) {
      throw new KafkaTimeoutException("client instance id: no broker has given one within " + timeout
          + "; " + LastError.words(cluster.lastError()), cluster.lastError());
    }
    return id;
  }

  /**
   * Closes producers and transactions side by side, so all have the same time. Then it closes consumers, whose
   * listeners this thread calls. It waits for a user that another thread is closing.
   */
  private void closeUsers() {
    List<Thread> closing = new ArrayList<>();
    AtomicInteger left = new AtomicInteger();
    for (AutoCloseable user : users) {
      if (!(user instanceof Consumer<?, ?>)) {
        left.incrementAndGet();
        closing.add(Thread.ofVirtual().name("decant-close").start(() -> {
          close(user);
          left.decrementAndGet();
          loop.execute(cluster.waiters()::signalAll);
        }));
      }
    }
    boolean interrupted = false;
    while (left.get() > 0) {
      try {
        cluster.waiters().await(() -> left.get() == 0, loop.clock().nanoTime() + Timeouts.FOR_EVER);
      } catch (InterruptedException e) { // the closing threads stop waiting, too
        interrupted = true;
        closing.forEach(Thread::interrupt);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    for (AutoCloseable user : users) {
      if (user instanceof Consumer<?, ?>) {
        close(user);
      }
    }
  }

  private static void close(AutoCloseable user) {
    try {
      user.close();
    } catch (Throwable e) { // one user's failure must not keep the others from their close
      System.getLogger(KafkaClient.class.getName()).log(System.Logger.Level.WARNING, "closing " + user + " failed", e);
    }
  }

  private boolean hasNoProducer() {
    return users.stream().noneMatch(Producer.class::isInstance);
  }

  /** Closes the client as {@link KafkaClient#close} describes. */
  void close() {
    if (loop.isOwner()) {
      Thread.ofVirtual().name("decant-close").start(this::close);
      return;
    }
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    closeUsers();
    MetricsPush push = metricsPush;
    if (push != null) {
      push.close();
    }
    ClientTls secured = tls;
    if (secured != null) {
      secured.stop();
    }
    runOnLoop(cluster::shutDown);
    // A record that is being written needs the loop for its outcome. A Future of Apache's interface once waited for
    // ever.
    awaitUninterruptibly(this::hasNoProducer);
    loop.close();
    cluster.waiters().end();
    if (secured != null) {
      secured.close();
    }
    fetchMemory.close();
    sendMemory.pool().close();
    runtimeFit.close();
  }
}
