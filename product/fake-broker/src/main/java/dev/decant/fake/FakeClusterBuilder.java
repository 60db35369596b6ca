package dev.decant.fake;

import dev.decant.fake.cluster.Release;
import dev.decant.fake.cluster.Settings;
import dev.decant.tls.TlsSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings of a fake cluster. One thread at a time. */
public final class FakeClusterBuilder {
  private static final int MOST_BROKERS = 1_000;
  private static final int LAST_PORT = 0xFFFF;
  private static final long DEFAULT_JOURNAL_BYTES = 16L << 20;

  private final Settings settings = Settings.ofBrokers();
  private final Map<String, NewTopic> topics = new LinkedHashMap<>();
  private final List<String> racks = new ArrayList<>();
  private final SecuritySettings security = new SecuritySettings();
  private Release release = Release.DEFAULT;
  private int brokers = 1;
  private int firstBrokerId = 1;
  private int firstPort;
  private boolean isInMemory;
  private long journalBytes = DEFAULT_JOURNAL_BYTES;
  private long logBytes = Runtime.getRuntime().maxMemory() / 2;
  private @Nullable Runnable whenLogsAreFull;

  record NewTopic(int partitions, Map<String, String> settings) {}

  FakeClusterBuilder() {
    // as in the test kit: the few members of a test's group would wait for others, by Kafka's default of 3 s
    settings.set("group.initial.rebalance.delay.ms", "0");
  }

  /**
   * Sets the number of brokers; 1 by default. Their ids begin with 1, unless {@link #firstBrokerId} is set.
   *
   * @param count 1 to 1,000
   * @return this
   */
  public FakeClusterBuilder brokers(int count) {
    if (count < 1 || count > MOST_BROKERS) {
      throw new IllegalArgumentException("brokers: " + count + " is not in 1.." + MOST_BROKERS);
    }
    brokers = count;
    return this;
  }

  /**
   * Sets the id of the first broker; 1 by default. The other brokers have the ids that follow.
   *
   * @param id at least 0
   * @return this
   */
  public FakeClusterBuilder firstBrokerId(int id) {
    if (id < 0) {
      throw new IllegalArgumentException("firstBrokerId: " + id + " is less than 0");
    }
    firstBrokerId = id;
    return this;
  }

  /**
   * Sets the release of Kafka to imitate: the brokers offer the same versions of each API that they speak, from the
   * lowest version that clients of 4.x know. By default it is the release of the test kit's real brokers, 4.3.
   *
   * @param major first number of the release
   * @param minor second number of the release
   * @return this
   * @throws IllegalArgumentException if there is no such release, or it is older than 2.1 or newer than 4.4
   */
  public FakeClusterBuilder release(int major, int minor) {
    release = new Release(major, minor);
    return this;
  }

  /**
   * Sets a setting of all brokers, by its name in server.properties. Defaults are Kafka's, except for {@code
   * group.initial.rebalance.delay.ms}: it is 0, so that the first member of a group does not wait for others.
   *
   * @param name a setting that the fake broker knows
   * @param value value of the setting
   * @return this
   * @throws IllegalArgumentException if the setting is unknown, or the value is not of its type
   */
  public FakeClusterBuilder setting(String name, String value) {
    settings.set(name, value);
    return this;
  }

  /**
   * Adds a topic that exists from the start, with a replica on each broker, but at most three replicas.
   *
   * @param name name of the topic
   * @param partitions number of partitions, 1 to 100,000
   * @return this
   * @throws IllegalArgumentException if the topic was added before
   */
  public FakeClusterBuilder topic(String name, int partitions) {
    return topic(name, partitions, Map.of());
  }

  /**
   * Adds a topic that exists from the start, in the form of the command line and of {@code @FakeKafka}: {@code
   * orders=6}, or {@code orders} for one partition, then settings such as {@code cleanup.policy=compact}.
   *
   * @param text the name with the number of partitions, and settings after spaces
   * @return this
   * @throws IllegalArgumentException if the text cannot be read
   */
  public FakeClusterBuilder topic(String text) {
    String[] words = text.strip().split("\\s+", -1);
    Map<String, String> ofTopic = new LinkedHashMap<>();
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("topic '" + text + "': " + words[i] + " is not like name=value");
      }
      String former = ofTopic.put(words[i].substring(0, equals), words[i].substring(equals + 1));
      if (former != null) {
        throw new IllegalArgumentException(
            "topic '" + text + "': " + words[i] + " sets a second time what is set already; remove one of them");
      }
    }
    int equals = words[0].indexOf('=');
    String name = equals < 0 ? words[0] : words[0].substring(0, equals);
    String partitions = equals < 0 ? "1" : words[0].substring(equals + 1);
    try {
      return topic(name, Integer.parseInt(partitions), ofTopic);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "topic '" + text + "': " + partitions + " is not a number of partitions; write it as orders=6", e);
    }
  }

  /**
   * Adds a topic with settings that exists from the start.
   *
   * @param name name of the topic
   * @param partitions number of partitions, 1 to 100,000
   * @param ofTopic settings by name
   * @return this
   * @throws IllegalArgumentException if the topic was added before
   */
  public FakeClusterBuilder topic(String name, int partitions, Map<String, String> ofTopic) {
    if (topics.putIfAbsent(name, new NewTopic(partitions, Map.copyOf(ofTopic))) != null) {
      throw new IllegalArgumentException("topic " + name + " is given twice; remove one of them");
    }
    return this;
  }

  /**
   * Sets the racks of the brokers, in the order of their ids; none by default.
   *
   * @param names a rack for each broker
   * @return this
   */
  public FakeClusterBuilder racks(String... names) {
    racks.clear();
    racks.addAll(List.of(names));
    return this;
  }

  /**
   * Sets the port of the first broker; the other brokers have the ports that follow. Free ports by default.
   *
   * @param port 1 to 65535
   * @return this
   */
  public FakeClusterBuilder firstPort(int port) {
    if (port < 1 || port > LAST_PORT) {
      throw new IllegalArgumentException("firstPort: " + port + " is not in 1..65535");
    }
    firstPort = port;
    return this;
  }

  /**
   * Lets the brokers listen within the process instead of on loopback ports. Decant's clients in the same process reach
   * them by their addresses, such as {@code fake-1-broker-1.in-memory.invalid:9092}, without any setting. For other
   * clients these hosts do not exist.
   *
   * <p>With {@link #tls} the brokers' certificate must be for {@code *.in-memory.invalid}, unless clients do not verify
   * the host name.
   *
   * @return this
   */
  public FakeClusterBuilder inMemory() {
    isInMemory = true;
    return this;
  }

  /**
   * Sets the most bytes of requests that are kept for {@link FakeCluster#requests()}; 16 MiB by default. Beyond that
   * the oldest requests are dropped.
   *
   * @param bytes at least 1
   * @return this
   */
  public FakeClusterBuilder keptRequestBytes(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("keptRequestBytes: " + bytes + " is less than 1");
    }
    journalBytes = bytes;
    return this;
  }

  /**
   * Sets the most bytes of the logs of all topics together; half of the JVM's heap by default. Beyond that brokers
   * reject records with {@code KAFKA_STORAGE_ERROR}, until retention or a test deletes some. A batch counts 128 bytes
   * more than its size, for its objects.
   *
   * @param bytes at least 1
   * @return this
   */
  public FakeClusterBuilder logBytes(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("logBytes: " + bytes + " is less than 1");
    }
    logBytes = bytes;
    return this;
  }

  /**
   * Sets the listener for records that are rejected because the logs are full. By default the fake broker logs a
   * warning.
   *
   * @param listener called on the cluster's thread; must not block. The next call comes only after records were
   *     accepted again
   * @return this
   */
  public FakeClusterBuilder whenLogsAreFull(Runnable listener) {
    whenLogsAreFull = listener;
    return this;
  }

  /**
   * Requires clients to log in.
   *
   * @param mechanisms some of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER; none for all four
   * @return this
   * @throws IllegalArgumentException if there is no such mechanism
   */
  public FakeClusterBuilder sasl(String... mechanisms) {
    security.mechanisms(mechanisms.length == 0
        ? List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
        : List.of(mechanisms));
    return this;
  }

  /**
   * Adds a user for PLAIN and SCRAM; {@link FakeSecurity#user} adds more.
   *
   * @param name name of the user; the principal is {@code User:name}
   * @param password password of the user
   * @return this
   */
  public FakeClusterBuilder user(String name, String password) {
    security.user(name, password);
    return this;
  }

  /**
   * Adds a token for OAUTHBEARER; {@link FakeSecurity#token} adds more.
   *
   * @param token the token's characters, which are not parsed
   * @param user user of the token
   * @param expires end of the token's validity, by the cluster's clock
   * @return this
   */
  public FakeClusterBuilder token(String token, String user, Instant expires) {
    security.token(token, user, expires);
    return this;
  }

  /**
   * Encrypts all connections. The principal of a client with a certificate is its subject, such as {@code
   * User:CN=alice}, unless the client logs in.
   *
   * @param settings the brokers' keys, for the names {@code localhost} and {@code 127.0.0.1}, and whether clients must
   *     show certificates
   * @return this
   */
  public FakeClusterBuilder tls(TlsSettings settings) {
    security.tls(settings);
    return this;
  }

  /**
   * Allows operations, as {@link FakeSecurity#allow}: everything that no rule allows is then denied.
   *
   * @param principal principal of the clients, such as {@code User:alice}; {@code User:*} for all
   * @param resource resource of the rule
   * @param operations allowed operations
   * @return this
   * @throws IllegalArgumentException if the principal does not begin with {@code User:}
   */
  public FakeClusterBuilder allow(String principal, Resource resource, Operation... operations) {
    security.rules(FakeSecurity.rules(principal, resource, true, operations));
    return this;
  }

  /**
   * Denies operations, as {@link FakeSecurity#deny}.
   *
   * @param principal principal of the clients, such as {@code User:alice}; {@code User:*} for all
   * @param resource resource of the rule
   * @param operations denied operations
   * @return this
   * @throws IllegalArgumentException if the principal does not begin with {@code User:}
   */
  public FakeClusterBuilder deny(String principal, Resource resource, Operation... operations) {
    security.rules(FakeSecurity.rules(principal, resource, false, operations));
    return this;
  }

  /**
   * Allows a principal everything. All others may do what rules allow them.
   *
   * @param principal principal of the client, such as {@code User:admin}
   * @return this
   */
  public FakeClusterBuilder superUser(String principal) {
    security.superUser(principal);
    return this;
  }

  /**
   * Starts the cluster. Its brokers can be used when this method returns.
   *
   * @throws FakeClusterException if a port is in use
   * @throws IllegalArgumentException if a topic cannot be created, or there are too few ports behind the first one
   */
  public FakeCluster start() {
    if (!racks.isEmpty() && racks.size() != brokers) {
      throw new IllegalArgumentException("racks: " + racks + " for " + brokers + " brokers");
    }
    if (firstPort > LAST_PORT + 1 - brokers) {
      throw new IllegalArgumentException("firstPort: " + firstPort + " leaves too few ports for " + brokers
          + " brokers; it is at most " + (LAST_PORT + 1 - brokers));
    }
    security.check();
    return FakeCluster.start(this);
  }

  SecuritySettings security() {
    return security;
  }

  Settings settings() {
    return settings;
  }

  Map<String, NewTopic> topics() {
    return topics;
  }

  List<String> racks() {
    return racks;
  }

  Release release() {
    return release;
  }

  int brokers() {
    return brokers;
  }

  int firstBrokerId() {
    return firstBrokerId;
  }

  boolean isInMemory() {
    return isInMemory;
  }

  int firstPort() {
    return firstPort;
  }

  long logBytes() {
    return logBytes;
  }

  @Nullable
  Runnable whenLogsAreFull() {
    return whenLogsAreFull;
  }

  long journalBytes() {
    return journalBytes;
  }
}
