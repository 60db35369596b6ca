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
  /** More than the fetch memory if a single response may have more. */
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
   * Kafka's {@code client.id}; "decant" by default.
   *
   * @param value told to brokers with each request
   * @return this
   */
  public KafkaClientBuilder clientId(String value) {
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
  public KafkaClientBuilder connectTimeout(Duration value) {
    connectTimeout = positive("connectTimeout", value);
    return this;
  }

  /**
   * Kafka's {@code request.timeout.ms}; 30 s by default. Consumers need more than their {@code fetch.max.wait.ms}.
   *
   * @param value from sending a request to its response
   * @return this
   */
  public KafkaClientBuilder requestTimeout(Duration value) {
    requestTimeout = positive("requestTimeout", value);
    return this;
  }

  /**
   * Kafka's {@code connections.max.idle.ms}; 9 minutes by default. Brokers close idle connections after 10.
   *
   * @param value a connection without a request for so long is closed, and opened again when it is needed
   * @return this
   */
  public KafkaClientBuilder connectionsMaxIdle(Duration value) {
    connectionsMaxIdle = positive("connectionsMaxIdle", value);
    return this;
  }

  /**
   * Kafka's {@code metadata.max.age.ms}; 5 minutes by default. Metadata is asked for earlier when it is found stale.
   *
   * @param value the client asks for metadata as often at least; 100 ms or more
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
   * Kafka's {@code metadata.max.idle.ms}; 5 minutes by default. A topic that no producer has used for so long, and that
   * no consumer reads, is forgotten: brokers are not asked for it any more. The next record asks for it again.
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
   * Kafka's {@code reconnect.backoff.ms} and {@code reconnect.backoff.max.ms}; 50 ms and 1 s by default. The pause
   * before connecting again to a broker doubles with each failure, more or less a fifth.
   *
   * @param first after the first failure
   * @param most what the pause grows to; all pauses are so long if this is less than the first
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
   * Kafka's {@code sasl.mechanism}; none by default.
   *
   * @param value proves to brokers who the client is, see {@link dev.decant.kafka.security.Sasl}
   * @return this
   */
  public KafkaClientBuilder sasl(SaslMechanism value) {
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
  public KafkaClientBuilder tls(TlsSettings settings) {
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
  public KafkaClientBuilder tls(TlsContext context) {
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

  /** Whether others have the context too, and its owner says when files are read. */
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

  /** One that the client closes: its own, or what a test has given. */
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

  /** Settings by name, of which what belongs to the client has been given to this. */
  void properties(ClientProperties value) {
    properties = value;
  }

  /** For tests: how brokers are found and reached. */
  KafkaClientBuilder resolver(HostResolver value) {
    resolver = value;
    return this;
  }

  /** For tests: a loop that they drive; the client closes it. */
  KafkaClientBuilder loop(EventLoop value) {
    loop = value;
    return this;
  }

  /**
   * Direct memory for responses that are being received or not consumed yet, for all consumers of the client; 64
   * MiB by default. Also bounds a single response: a batch that does not fit in it makes poll throw an
   * {@code UnreadableBatchException}.
   *
   * @param bytes at least 1 MiB
   * @return this
   */
  public KafkaClientBuilder fetchMemory(long bytes) {
    return fetchMemory(bytes, bytes);
  }

  /**
   * Direct memory for responses, as {@link #fetchMemory(long)}, with another bound for a single response. Batches that
   * do not fit in the fetch memory are read one at a time, with memory beyond it that is given up afterwards. So a
   * small fetch memory does not exclude large batches.
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
   * Kafka's {@code buffer.memory}: direct memory for records that are not acknowledged, for all producers of the
   * client that were not given memory of their own; 32 MiB by default.
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
   * Kafka's {@code enable.metrics.push}; true by default. A broker with a metrics reporter for clients then gets the
   * metrics that its subscriptions name (KIP-714); other brokers are not asked.
   *
   * @param value false for no metrics to any broker
   * @return this
   */
  public KafkaClientBuilder enableMetricsPush(boolean value) {
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
  public KafkaClientBuilder allowAutoCreateTopics(boolean value) {
    allowAutoCreateTopics = value;
    return this;
  }

  /**
   * Kafka's {@code metadata.cluster.check.enable}; true by default. The first broker says which cluster the client
   * belongs to, and each connection is compared with it before a request of the client is sent there. A broker of
   * another cluster is refused, and the client tries elsewhere; see {@link dev.decant.kafka.WrongClusterException}. The
   * check costs one small request per connection. Brokers of Kafka 4.4 or later compare the ids themselves, without a
   * request of its own (KIP-1242).
   *
   * @param value false to follow the addresses to whatever cluster they lead
   * @return this
   */
  public KafkaClientBuilder metadataClusterCheck(boolean value) {
    metadataClusterCheck = value;
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
  public KafkaClientBuilder runtimeCheck(boolean value) {
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
  public KafkaClientBuilder ioIdle(IdleStrategy value) {
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
   * What holds now, of settings that have a name; of security, protocol and mechanism alone.
   *
   * @return by Kafka's name, as Kafka's properties write it, and Decant's own by names that begin with {@code decant.}
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
   * Starts the client.
   *
   * @return the client, to be closed
   * @throws IllegalArgumentException when the bootstrap addresses, or keys and certificates, cannot be read
   */
  public KafkaClient build() {
    return new KafkaClient(new ClientParts(this), properties);
  }
}
