package dev.decant.kafka.client;

import dev.decant.idle.IdleStrategy;
import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.cluster.ClusterIdentity;
import dev.decant.kafka.cluster.HostResolver;
import dev.decant.kafka.cluster.LinkSecurity;
import dev.decant.kafka.cluster.LinkSettings;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.loop.EventLoop;
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
import org.jspecify.annotations.Nullable;

/** Settings of a client, under Kafka's names. Not thread-safe. */
public final class KafkaClientBuilder {
  static final int LEAST_METADATA_AGE_MILLIS = 100;
  static final long LEAST_METADATA_IDLE_MILLIS = 5_000;
  static final long LEAST_POOL_BYTES = 1024 * 1024;

  private String bootstrap;
  private ClientProperties properties = ClientProperties.NONE;
  private String clientId = "decant";
  private Duration connectTimeout = Duration.ofSeconds(10);
  Duration requestTimeout = Duration.ofSeconds(30);
  long fetchMemory = 64L * 1024 * 1024;
  /** The bound of a single response; more than the fetch memory if the application allows it. */
  long largestResponse = fetchMemory;
  long bufferMemory = 32L * 1024 * 1024;
  private Duration connectionsMaxIdle = Duration.ofMinutes(9);
  Duration metadataMaxAge = Duration.ofMinutes(5);
  Duration metadataMaxIdle = Duration.ofMinutes(5);
  private Duration reconnectBackoff = Duration.ofMillis(50);
  private Duration reconnectBackoffMax = Duration.ofSeconds(1);
  boolean runtimeCheck = true;
  boolean enableMetricsPush = true;
  boolean allowAutoCreateTopics;
  boolean metadataClusterCheck = true;
  private IdleStrategy ioIdle = IdleStrategy.block();
  private IdleStrategy waiterIdle = IdleStrategy.block();
  private HostResolver resolver = InetAddress::getAllByName;
  @Nullable
  SaslMechanism sasl;
  private @Nullable TlsSettings tlsSettings;
  private @Nullable TlsContext tlsContext;
  long tlsMemory = 16L * 1024 * 1024;
  private @Nullable EventLoop loop;

  KafkaClientBuilder(String bootstrap) {
    this.bootstrap = Objects.requireNonNull(bootstrap, "bootstrap");
  }

  void bootstrap(String value) {
    bootstrap = value;
  }

  /**
   * Sets Kafka's {@code client.id}; "decant" by default.
   *
   * @param value sent to brokers with each request
   * @return this
   */
  public KafkaClientBuilder clientId(String value) {
    clientId = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Sets Kafka's {@code socket.connection.setup.timeout.ms}; 10 s by default. The time includes the negotiation of
   * versions, and holds for each address of a broker's host.
   *
   * @param value the bound
   * @return this
   */
  public KafkaClientBuilder connectTimeout(Duration value) {
    connectTimeout = positive("connectTimeout", value);
    return this;
  }

  /**
   * Sets Kafka's {@code request.timeout.ms}; 30 s by default. Consumers need more than their {@code fetch.max.wait.ms}.
   *
   * @param value from sending a request to its response
   * @return this
   */
  public KafkaClientBuilder requestTimeout(Duration value) {
    requestTimeout = positive("requestTimeout", value);
    return this;
  }

  /**
   * Sets Kafka's {@code connections.max.idle.ms}; 9 minutes by default. Brokers close idle connections after 10
   * minutes.
   *
   * @param value the time without a request after which a connection is closed; the next request opens another one
   * @return this
   */
  public KafkaClientBuilder connectionsMaxIdle(Duration value) {
    connectionsMaxIdle = positive("connectionsMaxIdle", value);
    return this;
  }

  /**
   * Sets Kafka's {@code metadata.max.age.ms}; 5 minutes by default. The client requests metadata earlier if it finds it
   * stale.
   *
   * @param value the longest time between two requests; 100 ms or more
   * @return this
   */
  public KafkaClientBuilder metadataMaxAge(Duration value) {
    Objects.requireNonNull(value, "value");
    if (Timeouts.millis(value) < LEAST_METADATA_AGE_MILLIS) {
      throw new IllegalArgumentException("metadataMaxAge: " + value + " is less than 100 ms");
    }
    metadataMaxAge = value;
    return this;
  }

  /**
   * Sets Kafka's {@code metadata.max.idle.ms}; 5 minutes by default. The client forgets a topic that no producer has
   * used for this time and no consumer reads: it no longer requests its metadata. The next record requests it again.
   *
   * @param value 5 seconds or more
   * @return this
   */
  public KafkaClientBuilder metadataMaxIdle(Duration value) {
    Objects.requireNonNull(value, "value");
    if (Timeouts.millis(value) < LEAST_METADATA_IDLE_MILLIS) {
      throw new IllegalArgumentException("metadataMaxIdle: " + value + " is less than 5 s");
    }
    metadataMaxIdle = value;
    return this;
  }

  /**
   * Sets Kafka's {@code reconnect.backoff.ms} and {@code reconnect.backoff.max.ms}; 50 ms and 1 s by default. The pause
   * before the next attempt to connect doubles with each failure, more or less a fifth.
   *
   * @param first the pause after the first failure
   * @param most the longest pause; if it is shorter than the first, all pauses have its length
   * @return this
   */
  public KafkaClientBuilder reconnectBackoff(Duration first, Duration most) {
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(most, "most");
    reconnectBackoff = positive("reconnectBackoff", first);
    reconnectBackoffMax = positive("reconnectBackoff", most);
    return this;
  }

  /**
   * Sets Kafka's {@code sasl.mechanism}; none by default.
   *
   * @param value the login, see {@link dev.decant.kafka.security.Sasl}
   * @return this
   */
  public KafkaClientBuilder sasl(SaslMechanism value) {
    sasl = Objects.requireNonNull(value, "sasl");
    return this;
  }

  /**
   * Encrypts connections to brokers by TLS, like Kafka's {@code security.protocol} SSL or SASL_SSL; not by default. The
   * client reads keys and certificates when it is opened, and checks their files each minute. It validates changed
   * ones, uses them, and replaces connections without a failed request.
   *
   * @param settings keys, trusted certificates, protocol versions and the check of host names
   * @return this
   */
  public KafkaClientBuilder tls(TlsSettings settings) {
    tlsSettings = Objects.requireNonNull(settings, "settings");
    tlsContext = null;
    return this;
  }

  /**
   * Encrypts connections to brokers by TLS with keys that several clients share. The caller reads changed files, by
   * {@link TlsContext#reload()} or {@link TlsContext#watchFiles}; the clients then replace their connections.
   *
   * @param context keys and trusted certificates
   * @return this
   */
  public KafkaClientBuilder tls(TlsContext context) {
    tlsContext = Objects.requireNonNull(context, "context");
    tlsSettings = null;
    return this;
  }

  /**
   * Sets the direct memory for encrypted connections; 16 MiB by default. Each connection takes 64 KiB, and up to 128
   * KiB more under load. A connection without free memory waits. A broker that is fetched from has two connections.
   *
   * @param bytes at least 1 MiB
   * @return this
   */
  public KafkaClientBuilder tlsMemory(long bytes) {
    if (bytes < LEAST_POOL_BYTES) {
      throw new IllegalArgumentException("tlsMemory: " + bytes + " is less than 1 MiB");
    }
    tlsMemory = bytes;
    return this;
  }

  @Nullable
  TlsContext tlsContext() {
    TlsContext context = tlsContext;
    TlsSettings settings = tlsSettings;
    return context != null || settings == null ? context : ClientTls.load(settings);
  }

  /** Returns true if other clients share the context, so its owner decides when files are read. */
  boolean sharesTlsContext() {
    return tlsContext != null;
  }

  List<BrokerAddress> addresses() {
    List<BrokerAddress> addresses = new ArrayList<>();
    for (String part : bootstrap.split(",", -1)) {
      addresses.add(BrokerAddress.parse(part.strip(), "bootstrap"));
    }
    return addresses;
  }

  /** Opens a loop, which the client closes. Tests pass one of their own. */
  EventLoop openLoop() {
    EventLoop given = loop;
    return given != null ? given : EventLoop.start("decant-" + clientId, Clock.system(), ioIdle, waiterIdle);
  }

  LinkSettings linkSettings(LinkSecurity security) {
    int maxFrame = Math.toIntExact(Math.min(largestResponse, Integer.MAX_VALUE - 8));
    return new LinkSettings(clientId, Timeouts.nanos(connectTimeout), Timeouts.nanos(requestTimeout),
        Timeouts.nanos(connectionsMaxIdle), maxFrame, resolver, Timeouts.nanos(reconnectBackoff),
        Timeouts.nanos(reconnectBackoffMax), security, new ClusterIdentity(metadataClusterCheck));
  }

  /** Sets the settings by name. Those of the client itself are already in this builder. */
  void properties(ClientProperties value) {
    properties = value;
  }

  /** Sets, for tests, how brokers are found and connected to. */
  KafkaClientBuilder resolver(HostResolver value) {
    resolver = value;
    return this;
  }

  /** Sets, for tests, a loop that they drive; the client closes it. */
  KafkaClientBuilder loop(EventLoop value) {
    loop = value;
    return this;
  }

  /**
   * Sets the direct memory for responses that are being received or not consumed yet. All consumers of the client share
   * it; the default is 64 MiB. It also bounds a single response: {@code poll} throws an {@code
   * UnreadableBatchException} for a batch that does not fit.
   *
   * @param bytes at least 1 MiB
   * @return this
   */
  public KafkaClientBuilder fetchMemory(long bytes) {
    return fetchMemory(bytes, bytes);
  }

  /**
   * Sets the direct memory for responses, as {@link #fetchMemory(long)}, with another bound for a single response.
   * Batches that do not fit into the fetch memory are read one at a time, with extra memory that is freed afterwards. A
   * small fetch memory therefore does not exclude large batches.
   *
   * @param bytes at least 1 MiB
   * @param largestResponse bytes that one response may take; the fetch memory if this is less
   * @return this
   */
  public KafkaClientBuilder fetchMemory(long bytes, long largestResponse) {
    if (bytes < LEAST_POOL_BYTES) {
      throw new IllegalArgumentException("fetchMemory: " + bytes + " is less than 1 MiB");
    }
    fetchMemory = bytes;
    this.largestResponse = Math.max(bytes, largestResponse);
    return this;
  }

  /**
   * Sets Kafka's {@code buffer.memory}; 32 MiB by default. It is the direct memory for records that are not
   * acknowledged. All producers of the client share it, except those with memory of their own.
   *
   * @param bytes at least 2 KiB, which hold a few records of one partition
   * @return this
   */
  public KafkaClientBuilder bufferMemory(long bytes) {
    if (bytes < SendMemory.SMALLEST_BYTES) {
      throw new IllegalArgumentException("bufferMemory: " + bytes + " is less than 2 KiB");
    }
    bufferMemory = bytes;
    return this;
  }

  /**
   * Sets Kafka's {@code enable.metrics.push}; true by default. A broker with a metrics reporter for clients then gets
   * the metrics that its subscriptions name (KIP-714); other brokers are not asked.
   *
   * @param value false to send no metrics to brokers
   * @return this
   */
  public KafkaClientBuilder enableMetricsPush(boolean value) {
    enableMetricsPush = value;
    return this;
  }

  /**
   * Sets Kafka's {@code allow.auto.create.topics}; false by default. If it is true, a broker with {@code
   * auto.create.topics.enable} creates missing topics that producers and consumers of this client name.
   *
   * @param value true to let brokers create topics
   * @return this
   */
  public KafkaClientBuilder allowAutoCreateTopics(boolean value) {
    allowAutoCreateTopics = value;
    return this;
  }

  /**
   * Sets Kafka's {@code metadata.cluster.check.enable}; true by default. The first broker decides which cluster the
   * client belongs to. The client compares each connection with it before it sends a request there. It refuses a broker
   * of another cluster, and tries others; see {@link dev.decant.kafka.WrongClusterException}.
   *
   * <p>The check costs one small request per connection. Brokers of Kafka 4.4 or later compare the ids themselves,
   * without an extra request (KIP-1242).
   *
   * @param value false to follow the addresses to whatever cluster they lead
   * @return this
   */
  public KafkaClientBuilder metadataClusterCheck(boolean value) {
    metadataClusterCheck = value;
    return this;
  }

  /**
   * Sets whether the JVM is checked while the client is opened: collector, heap, direct memory, container, threads and
   * flags; true by default. The check runs on a thread of its own. Each kind of finding is logged once per process,
   * under the name of {@link RuntimeCheck}. The client works whatever is found.
   *
   * @param value false for no check
   * @return this
   */
  public KafkaClientBuilder runtimeCheck(boolean value) {
    runtimeCheck = value;
    return this;
  }

  /**
   * Sets how the client's I/O thread waits for the network; {@link IdleStrategy#block()} by default. Spinning saves a
   * wake-up for each response and costs a processor, so choose it if a processor is free.
   *
   * @param value used by the I/O thread while no other thread drives the client's loop
   * @return this
   */
  public KafkaClientBuilder ioIdle(IdleStrategy value) {
    ioIdle = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Sets how a platform thread that waits in {@code sendAndWait}, {@code flush} or {@code poll} waits for the network;
   * {@link IdleStrategy#block()} by default. Spinning makes synchronous sends faster if a processor is free.
   *
   * @param value used by the waiting threads
   * @return this
   */
  public KafkaClientBuilder waiterIdle(IdleStrategy value) {
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
   * Returns the present values of the settings with a name. Of security, these are only the protocol and the mechanism.
   *
   * @return values by Kafka's names, as Kafka's properties write them; Decant's own names begin with {@code decant.}
   */
  public Map<String, String> settings() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("bootstrap.servers", bootstrap);
    all.put("client.id", clientId);
    all.put("socket.connection.setup.timeout.ms", Long.toString(Timeouts.millis(connectTimeout)));
    all.put("request.timeout.ms", Long.toString(Timeouts.millis(requestTimeout)));
    all.put("connections.max.idle.ms", Long.toString(Timeouts.millis(connectionsMaxIdle)));
    all.put("metadata.max.age.ms", Long.toString(Timeouts.millis(metadataMaxAge)));
    all.put("metadata.max.idle.ms", Long.toString(Timeouts.millis(metadataMaxIdle)));
    all.put("reconnect.backoff.ms", Long.toString(Timeouts.millis(reconnectBackoff)));
    all.put("reconnect.backoff.max.ms", Long.toString(Timeouts.millis(reconnectBackoffMax)));
    all.put("enable.metrics.push", Boolean.toString(enableMetricsPush));
    all.put("allow.auto.create.topics", Boolean.toString(allowAutoCreateTopics));
    all.put("metadata.cluster.check.enable", Boolean.toString(metadataClusterCheck));
    all.put("buffer.memory", Long.toString(bufferMemory));
    all.put("decant.fetch.memory.bytes", Long.toString(fetchMemory));
    all.put("decant.tls.memory.bytes", Long.toString(tlsMemory));
    all.put("decant.runtime.check.enable", Boolean.toString(runtimeCheck));
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
   * Opens the client.
   *
   * @return the client, to be closed
   * @throws IllegalArgumentException if the bootstrap addresses, or keys and certificates, cannot be read
   */
  public KafkaClient build() {
    return new KafkaClient(new ClientParts(this), properties);
  }
}
