package dev.decant.kafka;

import dev.decant.buffer.BufferPool;
import dev.decant.idle.IdleStrategy;
import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.HostResolver;
import dev.decant.kafka.cluster.LinkSecurity;
import dev.decant.kafka.cluster.LinkSettings;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.event.KafkaEvents;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.TransactionsBuilder;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.telemetry.push.MetricsPush;
import dev.decant.kafka.telemetry.push.PushSources;
import dev.decant.loop.EventLoop;
import dev.decant.net.FrameMemory;
import dev.decant.runtime.Finding;
import dev.decant.runtime.RuntimeCheck;
import dev.decant.time.Clock;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsSettings;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One loop, one set of connections and one bound of fetch memory for any number of producers and consumers.
 * Thread-safe. Connects when it is first needed.
 *
 * <p>Close each client. Its I/O thread refers to it, so a client that is dropped without {@link #close} is never
 * garbage: its thread, connections and direct memory stay until the JVM ends. It keeps the memory that it has used,
 * some 100 KiB for a client that sends and reads little, and at most {@link Builder#fetchMemory}, {@link
 * Builder#bufferMemory} and {@link Builder#tlsMemory}. Its threads are daemons: the JVM ends without waiting for them,
 * and records that are not acknowledged by then are lost.
 */
public final class KafkaClient implements AutoCloseable {
  private static final int FETCH_CHUNK_BYTES = 64 * 1024;
  private static final long LOOP_PATIENCE_NANOS = 5_000_000_000L;

  private final EventLoop loop;
  private final BufferPool fetchMemory;
  private final SendMemory sendMemory;
  private final AtomicBoolean sendMemoryUsed = new AtomicBoolean();
  private final Cluster cluster;
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final PushSources pushSources = new PushSources();
  /** Null if the application wants no metrics to be pushed. */
  private final @Nullable MetricsPush metricsPush;
  private final ClientInternals internals;
  private final Health health;
  /** Null if connections are not encrypted. */
  private final @Nullable ClientTls tls;
  private final Set<AutoCloseable> users = ConcurrentHashMap.newKeySet();
  private final RuntimeFit runtimeFit;
  private final ClientProperties properties;
  private volatile boolean closed;

  private KafkaClient(Builder builder) {
    List<BrokerAddress> addresses = addresses(builder.bootstrap);
    properties = builder.properties;
    TlsContext tlsContext = builder.tlsContext();
    EventLoop given = builder.loop;
    loop = given != null
        ? given
        : EventLoop.start("decant-" + builder.clientId, Clock.system(),
            builder.ioIdle, builder.waiterIdle);
    fetchMemory = new BufferPool(builder.fetchMemory, FETCH_CHUNK_BYTES);
    sendMemory = new SendMemory(loop, new BufferPool(builder.bufferMemory, SendMemory.SMALLEST_BYTES));
    tls = tlsContext == null
        ? null
        : new ClientTls(tlsContext, loop, telemetry.errors(), builder.tlsMemory);
    LinkSecurity security = LinkSecurity.NONE.withSasl(builder.sasl);
    security = tls == null ? security : security.withTls(tls.context(), tls.memory());
    int maxFrame = Math.toIntExact(Math.min(builder.fetchMemory, Integer.MAX_VALUE - 8));
    LinkSettings settings = new LinkSettings(builder.clientId, Timeouts.nanos(builder.connectTimeout),
        Timeouts.nanos(builder.requestTimeout), Timeouts.nanos(builder.connectionsMaxIdle), maxFrame, builder.resolver,
        Timeouts.nanos(builder.reconnectBackoff), Timeouts.nanos(builder.reconnectBackoffMax), security);
    cluster = new Cluster(loop, new FrameMemory(loop, fetchMemory), telemetry, settings, addresses,
        Timeouts.nanos(builder.metadataMaxAge));
    cluster.allowAutoCreateTopics(builder.allowAutoCreateTopics);
    if (tls != null) {
      tls.start(cluster, builder.tlsContext == null);
    }
    health = new Health(loop, cluster, telemetry, Timeouts.nanos(builder.metadataMaxAge));
    internals = new ClientParts(loop, cluster, telemetry, this,
        (int) Math.min(Integer.MAX_VALUE, Timeouts.millis(builder.requestTimeout)));
    MetricsPush push = builder.enableMetricsPush ? new MetricsPush(loop, cluster, telemetry, pushSources) : null;
    metricsPush = push;
    if (push != null) {
      loop.execute(push::start);
    }
    runtimeFit = new RuntimeFit(builder.runtimeCheck);
    runtimeFit.addDirectMemory(builder.fetchMemory + (tls == null ? 0 : builder.tlsMemory));
    if (tls == null && builder.sasl != null && builder.sasl.sendsSecret()) {
      runtimeFit.addSecretInTheClear(builder.sasl.name());
    }
  }

  /**
   * A client with default settings.
   *
   * @param bootstrap {@code host:port[,host:port...]}, Kafka's {@code bootstrap.servers}
   * @return the client, to be closed
   */
  public static KafkaClient connect(String bootstrap) {
    return builder(bootstrap).build();
  }

  /**
   * A client with the settings of a properties file that Apache's clients read: the same as
   * {@link #fromProperties(Map)}.
   *
   * @param properties text or objects by Kafka's names, with their defaults
   * @return the client, to be closed
   * @throws IllegalArgumentException with all problems, a line each
   */
  public static KafkaClient fromProperties(Properties properties) {
    return fromProperties(ClientProperties.entries(properties));
  }

  /**
   * A client with settings under Kafka's names, those of its producers, transactions and consumers included: its
   * builders begin with them, as if their {@code properties} were called first. The page {@code docs/settings.md} says
   * what becomes of each name.
   *
   * @param properties by name, text or an object such as a number, a class or a list; null as if it were not there
   * @return the client, to be closed
   * @throws IllegalArgumentException with all problems, a line each: names that are unknown, refused or not possible
   *     yet, values that are none or out of bounds, and contradictions
   */
  public static KafkaClient fromProperties(Map<String, ?> properties) {
    return builder(properties).build();
  }

  /**
   * Settings for a client, beginning with those of {@link #fromProperties(Map)}.
   *
   * @param properties by name, text or an object such as a number, a class or a list; null as if it were not there
   * @return a builder
   * @throws IllegalArgumentException with all problems, a line each
   */
  public static Builder builder(Map<String, ?> properties) {
    Objects.requireNonNull(properties, "properties");
    Builder builder = new Builder("");
    builder.properties = ClientProperties.read(properties, builder);
    return builder;
  }

  /**
   * Settings for a client.
   *
   * @param bootstrap {@code host:port[,host:port...]}, Kafka's {@code bootstrap.servers}
   * @return a builder
   */
  public static Builder builder(String bootstrap) {
    return new Builder(bootstrap);
  }

  /** Settings of a client, under Kafka's names. Not thread-safe. */
  public static final class Builder {
    static final int LEAST_METADATA_AGE_MILLIS = 100;

    private String bootstrap;
    private ClientProperties properties = ClientProperties.NONE;
    private String clientId = "decant";
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration requestTimeout = Duration.ofSeconds(30);
    private long fetchMemory = 64L * 1024 * 1024;
    private long bufferMemory = 32L * 1024 * 1024;
    private Duration connectionsMaxIdle = Duration.ofMinutes(9);
    private Duration metadataMaxAge = Duration.ofMinutes(5);
    private Duration reconnectBackoff = Duration.ofMillis(50);
    private Duration reconnectBackoffMax = Duration.ofSeconds(1);
    private boolean runtimeCheck = true;
    private boolean enableMetricsPush = true;
    private boolean allowAutoCreateTopics;
    private IdleStrategy ioIdle = IdleStrategy.block();
    private IdleStrategy waiterIdle = IdleStrategy.block();
    private HostResolver resolver = InetAddress::getAllByName;
    private @Nullable SaslMechanism sasl;
    private @Nullable TlsSettings tlsSettings;
    private @Nullable TlsContext tlsContext;
    private long tlsMemory = 16L * 1024 * 1024;
    private @Nullable EventLoop loop;

    Builder(String bootstrap) {
      this.bootstrap = Objects.requireNonNull(bootstrap, "bootstrap");
    }

    void bootstrap(String value) {
      bootstrap = value;
    }

    /**
     * Kafka's {@code client.id}; "decant" by default.
     *
     * @param value told to brokers with each request
     * @return this
     */
    public Builder clientId(String value) {
      clientId = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Kafka's {@code socket.connection.setup.timeout.ms}; 10 s by default, negotiation included, for each address of a
     * broker's host.
     *
     * @param value the bound
     * @return this
     */
    public Builder connectTimeout(Duration value) {
      connectTimeout = positive("connectTimeout", value);
      return this;
    }

    /**
     * Kafka's {@code request.timeout.ms}; 30 s by default. Consumers need more than their {@code fetch.max.wait.ms}.
     *
     * @param value from sending a request to its response
     * @return this
     */
    public Builder requestTimeout(Duration value) {
      requestTimeout = positive("requestTimeout", value);
      return this;
    }

    /**
     * Kafka's {@code connections.max.idle.ms}; 9 minutes by default. Brokers close idle connections after 10.
     *
     * @param value a connection without a request for so long is closed, and opened again when it is needed
     * @return this
     */
    public Builder connectionsMaxIdle(Duration value) {
      connectionsMaxIdle = positive("connectionsMaxIdle", value);
      return this;
    }

    /**
     * Kafka's {@code metadata.max.age.ms}; 5 minutes by default. Metadata is asked for earlier when it is found stale.
     *
     * @param value the client asks for metadata as often at least; 100 ms or more
     * @return this
     */
    public Builder metadataMaxAge(Duration value) {
      Objects.requireNonNull(value, "value");
      if (Timeouts.millis(value) < LEAST_METADATA_AGE_MILLIS) {
        throw new IllegalArgumentException("metadataMaxAge: " + value + " is less than 100 ms");
      }
      metadataMaxAge = value;
      return this;
    }

    /**
     * Kafka's {@code reconnect.backoff.ms} and {@code reconnect.backoff.max.ms}; 50 ms and 1 s by default. The pause
     * before connecting again to a broker doubles with each failure, more or less a fifth.
     *
     * @param first after the first failure
     * @param most what the pause grows to; all pauses are so long if this is less than the first
     * @return this
     */
    public Builder reconnectBackoff(Duration first, Duration most) {
      Objects.requireNonNull(first, "first");
      Objects.requireNonNull(most, "most");
      reconnectBackoff = positive("reconnectBackoff", first);
      reconnectBackoffMax = positive("reconnectBackoff", most);
      return this;
    }

    /**
     * Kafka's {@code sasl.mechanism}; none by default.
     *
     * @param value proves to brokers who the client is, see {@link dev.decant.kafka.security.Sasl}
     * @return this
     */
    public Builder sasl(SaslMechanism value) {
      sasl = Objects.requireNonNull(value, "sasl");
      return this;
    }

    /**
     * Encrypts connections to brokers by TLS, as Kafka's {@code security.protocol} SSL or SASL_SSL; not by default.
     * Keys and certificates are read when the client is opened. Their files are looked at each minute: changed ones are
     * checked, then used, and connections are replaced without a failed request.
     *
     * @param settings keys, trust, protocol versions and the check of host names
     * @return this
     */
    public Builder tls(TlsSettings settings) {
      tlsSettings = Objects.requireNonNull(settings, "settings");
      tlsContext = null;
      return this;
    }

    /**
     * Encrypts connections to brokers by TLS with keys that several clients share. The caller has files read again,
     * by {@link TlsContext#reload()} or {@link TlsContext#watchFiles}; connections are replaced then.
     *
     * @param context keys and trust
     * @return this
     */
    public Builder tls(TlsContext context) {
      tlsContext = Objects.requireNonNull(context, "context");
      tlsSettings = null;
      return this;
    }

    /**
     * Direct memory for encrypted connections; 16 MiB by default. Each takes 64 KiB, and up to twice as much more while
     * much is read or written; one that finds none waits. There are two connections to a broker that is fetched from.
     *
     * @param bytes at least 1 MiB
     * @return this
     */
    public Builder tlsMemory(long bytes) {
      if (bytes < 1024 * 1024) {
        throw new IllegalArgumentException("tlsMemory: " + bytes + " is less than 1 MiB");
      }
      tlsMemory = bytes;
      return this;
    }

    private @Nullable TlsContext tlsContext() {
      TlsContext context = tlsContext;
      TlsSettings settings = tlsSettings;
      return context != null || settings == null ? context : ClientTls.load(settings);
    }

    /** For tests: how brokers are found and reached. */
    Builder resolver(HostResolver value) {
      resolver = value;
      return this;
    }

    /** For tests: a loop that they drive; the client closes it. */
    Builder loop(EventLoop value) {
      loop = value;
      return this;
    }

    /**
     * Direct memory for responses that are being received or not consumed yet, for all consumers of the client; 64
     * MiB by default. Also bounds a single response.
     *
     * @param bytes at least 1 MiB
     * @return this
     */
    public Builder fetchMemory(long bytes) {
      if (bytes < 1024 * 1024) {
        throw new IllegalArgumentException("fetchMemory: " + bytes + " is less than 1 MiB");
      }
      fetchMemory = bytes;
      return this;
    }

    /**
     * Kafka's {@code buffer.memory}: direct memory for records that are not acknowledged, for all producers of the
     * client that were not given memory of their own; 32 MiB by default.
     *
     * @param bytes at least 2 KiB, which hold a few records of one partition
     * @return this
     */
    public Builder bufferMemory(long bytes) {
      if (bytes < SendMemory.SMALLEST_BYTES) {
        throw new IllegalArgumentException("bufferMemory: " + bytes + " is less than 2 KiB");
      }
      bufferMemory = bytes;
      return this;
    }

    /**
     * Kafka's {@code enable.metrics.push}; true by default. A broker with a metrics reporter for clients then gets the
     * metrics that its subscriptions name (KIP-714); other brokers are not asked.
     *
     * @param value false for no metrics to any broker
     * @return this
     */
    public Builder enableMetricsPush(boolean value) {
      enableMetricsPush = value;
      return this;
    }

    /**
     * Kafka's {@code allow.auto.create.topics}; false by default. A broker with {@code auto.create.topics.enable} then
     * creates topics that producers and consumers of this client name and that do not exist.
     *
     * @param value true to let brokers create topics
     * @return this
     */
    public Builder allowAutoCreateTopics(boolean value) {
      allowAutoCreateTopics = value;
      return this;
    }

    /**
     * Whether the JVM is checked while the client is opened: collector, heap, direct memory, container, threads and
     * flags; true by default. A thread of its own does it, each kind of finding is logged once per process under the
     * name of {@link RuntimeCheck}, and whatever is found, the client works.
     *
     * @param value false for no check
     * @return this
     */
    public Builder runtimeCheck(boolean value) {
      runtimeCheck = value;
      return this;
    }

    /**
     * How the client's I/O thread waits for the network; {@link IdleStrategy#block()} by default. Spinning saves a
     * wake-up for each response and costs a processor: choose it where one is free.
     *
     * @param value of the I/O thread, while no other thread drives the client's loop
     * @return this
     */
    public Builder ioIdle(IdleStrategy value) {
      ioIdle = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * How a platform thread that waits in {@code sendAndWait}, {@code flush} or {@code poll} waits for the network;
     * {@link IdleStrategy#block()} by default. Spinning makes synchronous sends faster where a processor is free.
     *
     * @param value of threads that wait
     * @return this
     */
    public Builder waiterIdle(IdleStrategy value) {
      waiterIdle = Objects.requireNonNull(value, "value");
      return this;
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + ": " + value + " is not positive");
      }
      return value;
    }

    /**
     * What holds now, of settings that Kafka has too; of security, protocol and mechanism alone.
     *
     * @return by Kafka's name, as Kafka's properties write it
     */
    public Map<String, String> settings() {
      Map<String, String> all = new LinkedHashMap<>();
      all.put("bootstrap.servers", bootstrap);
      all.put("client.id", clientId);
      all.put("socket.connection.setup.timeout.ms", Long.toString(Timeouts.millis(connectTimeout)));
      all.put("request.timeout.ms", Long.toString(Timeouts.millis(requestTimeout)));
      all.put("connections.max.idle.ms", Long.toString(Timeouts.millis(connectionsMaxIdle)));
      all.put("metadata.max.age.ms", Long.toString(Timeouts.millis(metadataMaxAge)));
      all.put("reconnect.backoff.ms", Long.toString(Timeouts.millis(reconnectBackoff)));
      all.put("reconnect.backoff.max.ms", Long.toString(Timeouts.millis(reconnectBackoffMax)));
      all.put("enable.metrics.push", Boolean.toString(enableMetricsPush));
      all.put("allow.auto.create.topics", Boolean.toString(allowAutoCreateTopics));
      all.put("buffer.memory", Long.toString(bufferMemory));
      all.put("security.protocol", securityProtocol());
      SaslMechanism mechanism = sasl;
      all.put("sasl.mechanism", mechanism == null ? "" : mechanism.name());
      return all;
    }

    private String securityProtocol() {
      boolean isEncrypted = tlsSettings != null || tlsContext != null;
      return sasl == null ? isEncrypted ? "SSL" : "PLAINTEXT" : isEncrypted ? "SASL_SSL" : "SASL_PLAINTEXT";
    }

    /**
     * Starts the client.
     *
     * @return the client, to be closed
     * @throws IllegalArgumentException when the bootstrap addresses, or keys and certificates, cannot be read
     */
    public KafkaClient build() {
      return new KafkaClient(this);
    }
  }

  private static List<BrokerAddress> addresses(String bootstrap) {
    List<BrokerAddress> addresses = new ArrayList<>();
    for (String part : bootstrap.split(",", -1)) {
      addresses.add(BrokerAddress.parse(part.strip(), "bootstrap"));
    }
    return addresses;
  }

  /**
   * Settings for a producer.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param keys encodes keys
   * @param values encodes values
   * @return a builder
   */
  public <K, V> ProducerBuilder<K, V> producer(Encoder<? super K> keys, Encoder<? super V> values) {
    return properties.begin(new ProducerBuilder<K, V>(this, keys, values));
  }

  /**
   * Settings for transactions.
   *
   * @param transactionalId Kafka's {@code transactional.id}
   * @return a builder
   */
  public TransactionsBuilder transactions(String transactionalId) {
    return properties.begin(new TransactionsBuilder(this, transactionalId));
  }

  /**
   * Settings for a consumer.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param keys decodes keys
   * @param values decodes values
   * @return a builder
   */
  public <K, V> ConsumerBuilder<K, V> consumer(Decoder<? extends K> keys, Decoder<? extends V> values) {
    return properties.begin(new ConsumerBuilder<K, V>(this, keys, values));
  }

  /**
   * Where listeners are added.
   *
   * @return of this client and all its producers and consumers
   */
  public KafkaEvents events() {
    return telemetry;
  }

  /**
   * Fills the caller's copy of the statistics. Any thread; nothing waits.
   *
   * @param into takes the figures, and what has changed since it was filled before
   */
  public void statistics(KafkaStatistics into) {
    into.fill(telemetry.counters());
  }

  /**
   * The id of the cluster, as a broker has told it. Any thread.
   *
   * @return empty before the first response of a broker
   */
  public Optional<String> clusterId() {
    return Optional.ofNullable(cluster.snapshot().clusterId());
  }

  /**
   * How each open consumer stands: its partitions with position, end and lag. Any thread; asks nobody and does not
   * wait.
   *
   * @return a snapshot, in no order
   */
  public List<ConsumerStatus> consumers() {
    List<ConsumerStatus> statuses = new ArrayList<>();
    for (AutoCloseable user : users) {
      if (user instanceof Consumer<?, ?> consumer) {
        statuses.add(consumer.status());
      }
    }
    return statuses;
  }

  /**
   * How the client stands, and what is not well: for probes, also often. Any thread. It waits for nothing and asks no
   * broker; what the client's loop knows is read as the loop has left it.
   *
   * @return a snapshot
   */
  public ClientStatus status() {
    if (closed) {
      return snapshot(false, List.of(), null, List.of("the client is closed"));
    }
    List<ClientStatus.ConnectionStatus> connections = cluster.linkStatus();
    Duration age = cluster.metadataAge();
    long silent = health.loopSilentNanos();
    return snapshot(silent < LoopProbe.PATIENCE_NANOS, connections, age, health.problems(silent, connections, age));
  }

  private ClientStatus snapshot(boolean answers, List<ClientStatus.ConnectionStatus> links, @Nullable Duration age,
      List<String> problems) {
    ClientTls secured = tls;
    return new ClientStatus(!closed, answers, links, age, fetchMemory.leasedBytes(), fetchMemory.maxBytes(), problems,
        telemetry.errors().last(), runtimeFit.recentFindings(),
        secured == null ? OptionalLong.empty() : secured.context().daysToExpiry());
  }

  /**
   * Keys and trust of the client's connections: to read changed files at once, and to be told of changes.
   *
   * @return empty if connections are not encrypted
   */
  public Optional<TlsContext> tls() {
    return Optional.ofNullable(tls).map(ClientTls::context);
  }

  /**
   * The id under which brokers know this client's metrics (KIP-714), for finding them there. A broker gives it once,
   * with the first response about metrics; the client connects if it has no connection yet. Any thread but that of
   * a listener.
   *
   * @param timeout how long to wait for it
   * @return the same in each call
   * @throws InterruptedException if the thread was interrupted
   * @throws IllegalStateException if {@link Builder#enableMetricsPush} is false, or the client is closed
   * @throws KafkaException if no broker takes metrics, or none has given an id in time
   */
  public Uuid clientInstanceId(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    MetricsPush push = metricsPush;
    if (push == null) {
      throw new IllegalStateException("enable.metrics.push is false: no broker has given this client an instance id");
    }
    if (closed || loop.isOwner()) {
      throw new IllegalStateException(closed ? "the client is closed" : "a listener must not wait for an instance id");
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
          + "; last error: " + cluster.lastError(), cluster.lastError());
    }
    return id;
  }

  /**
   * In what ways this JVM does not suit the client, with the memory of all clients and producers of the process that
   * were open at the last check: one is made when a client or a producer is opened. Waits for a check under way, two
   * seconds at most.
   *
   * @return findings; empty when all is well, or the check is off
   */
  public List<Finding> runtimeFindings() {
    return runtimeFit.findings();
  }

  /**
   * For the client's own packages: no other can name what it returns.
   *
   * @return loop and cluster
   * @throws IllegalStateException when the client is closed
   */
  @SuppressWarnings("exports")
  public ClientInternals internals() {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
    return internals;
  }

  void register(AutoCloseable user) {
    users.add(user);
  }

  void unregister(AutoCloseable user) {
    users.remove(user);
  }

  void addDirectMemory(long bytes) {
    runtimeFit.addDirectMemory(bytes);
  }

  void removeDirectMemory(long bytes) {
    runtimeFit.removeDirectMemory(bytes);
  }

  PushSources pushSources() {
    return pushSources;
  }

  BufferPool fetchMemory() {
    return fetchMemory;
  }

  /** Counts as direct memory from its first use on. */
  SendMemory sendMemory() {
    if (sendMemoryUsed.compareAndSet(false, true)) {
      addDirectMemory(sendMemory.pool().maxBytes());
    }
    return sendMemory;
  }

  void runOnLoop(Runnable task) {
    if (loop.isOwner()) {
      // a listener calls: it may be in the middle of what the task changes, and must not wait for itself
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

  private boolean hasNoProducer() {
    return users.stream().noneMatch(Producer.class::isInstance);
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

  /**
   * Closes producers and consumers that are still open, then connections and the loop. Called by a listener, it has
   * another thread do so, and does not wait. Another thread's poll ends with an {@link IllegalStateException}, or when
   * its handler has returned; this thread calls the rebalance listener. A poll that does not end within ten seconds is
   * logged, and goes on.
   */
  @Override
  public void close() {
    if (loop.isOwner()) {
      Thread.ofVirtual().name("decant-close").start(this::close);
      return;
    }
    if (closed) {
      return;
    }
    closed = true;
    for (AutoCloseable user : users) {
      try {
        user.close();
      } catch (Exception e) {
        System.getLogger(KafkaClient.class.getName()).log(System.Logger.Level.WARNING, "closing " + user + " failed",
            e);
      }
    }
    MetricsPush push = metricsPush;
    if (push != null) {
      push.close();
    }
    ClientTls secured = tls;
    if (secured != null) {
      secured.stop();
    }
    runOnLoop(cluster::shutDown);
    awaitUninterruptibly(this::hasNoProducer); // a record that is being written needs the loop
    loop.close();
    if (secured != null) {
      secured.close();
    }
    fetchMemory.close();
    sendMemory.pool().close();
    runtimeFit.close();
  }
}
