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

/** Settings of a fake cluster. Used by one thread. */
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
    settings.set("group.initial.rebalance.delay.ms", "0"); // as in the test kit: a test's group has few members
  }

  /**
   * How many brokers it has; 1 by default. Their ids begin with 1, unless {@link #firstBrokerId} says otherwise.
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
   * The id of the first broker; 1 by default. The others have those that follow.
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
   * The release of Kafka to play: its brokers offer the same versions of each API that they speak, from the lowest that
   * clients of 4.x know. By default that of the real brokers of the test kit, 4.3.
   *
   * @param major the first number
   * @param minor the second number
   * @return this
   * @throws IllegalArgumentException if there is none such, or it is older than 2.1 or newer than 4.4
   */
  public FakeClusterBuilder release(int major, int minor) {
    release = new Release(major, minor);
    return this;
  }

  /**
   * A setting of all brokers, by its name in server.properties. Defaults are Kafka's, but for {@code
   * group.initial.rebalance.delay.ms}: it is 0, so that the first member of a group does not wait for others.
   *
   * @param name one that the fake broker knows
   * @param value its value
   * @return this
   * @throws IllegalArgumentException if it does not know the setting, or the value is not of its type
   */
  public FakeClusterBuilder setting(String name, String value) {
    settings.set(name, value);
    return this;
  }

  /**
   * A topic that is there from the start, with as many replicas as there are brokers, but three at most.
   *
   * @param name its name
   * @param partitions how many, 1 to 100,000
   * @return this
   * @throws IllegalArgumentException if it is there already
   */
  public FakeClusterBuilder topic(String name, int partitions) {
    return topic(name, partitions, Map.of());
  }

  /**
   * A topic that is there from the start, written as words, as the command line and {@code @FakeKafka} have it: {@code
   * orders=6}, or {@code orders} for one partition, then settings such as {@code cleanup.policy=compact}.
   *
   * @param text the name with the number of partitions, and settings after spaces
   * @return this
   * @throws IllegalArgumentException if it cannot be read
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
   * A topic with settings that is there from the start.
   *
   * @param name its name
   * @param partitions how many, 1 to 100,000
   * @param ofTopic its settings by name
   * @return this
   * @throws IllegalArgumentException if it is there already
   */
  public FakeClusterBuilder topic(String name, int partitions, Map<String, String> ofTopic) {
    if (topics.putIfAbsent(name, new NewTopic(partitions, Map.copyOf(ofTopic))) != null) {
      throw new IllegalArgumentException("topic " + name + " is given twice; remove one of them");
    }
    return this;
  }

  /**
   * The racks of the brokers, in the order of their ids; none by default.
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
   * The port of the first broker; the others have those that follow. Free ports by default.
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
   * Has the brokers listen within the process instead of on loopback ports. Decant's clients of the same process reach
   * them by their addresses, such as {@code fake-1-broker-1.in-memory.invalid:9092}, without any setting. No other
   * client does: it finds no such host.
   *
   * <p>With {@link #tls} the brokers' certificate has to be for {@code *.in-memory.invalid}, unless clients do not
   * compare the host name.
   *
   * @return this
   */
  public FakeClusterBuilder inMemory() {
    isInMemory = true;
    return this;
  }

  /**
   * How many bytes of requests are kept for {@link FakeCluster#requests()}; 16 MiB by default. The oldest ones are
   * forgotten beyond that.
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
   * How many bytes the logs of all topics may have together; half of the JVM's heap by default. Beyond that brokers
   * refuse records with {@code KAFKA_STORAGE_ERROR}, until retention or a test deletes some. A batch counts 128 bytes
   * more than it has, for its objects.
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
   * What to do when records are refused because the logs are full. By default the fake broker logs a warning.
   *
   * @param listener called on the cluster's thread; must not block. Called again only after records were taken again
   * @return this
   */
  public FakeClusterBuilder whenLogsAreFull(Runnable listener) {
    whenLogsAreFull = listener;
    return this;
  }

  /**
   * Has clients log in before anything else.
   *
   * @param mechanisms of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER; none for all four
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
   * A user who may log in by PLAIN and SCRAM; {@link FakeSecurity#user} adds more.
   *
   * @param name the user; his principal is {@code User:name}
   * @param password the password
   * @return this
   */
  public FakeClusterBuilder user(String name, String password) {
    security.user(name, password);
    return this;
  }

  /**
   * A token that OAUTHBEARER takes; {@link FakeSecurity#token} adds more.
   *
   * @param token its characters, which nobody reads
   * @param user whose it is
   * @param expires when it expires, by the cluster's clock
   * @return this
   */
  public FakeClusterBuilder token(String token, String user, Instant expires) {
    security.token(token, user, expires);
    return this;
  }

  /**
   * Has all connections encrypted. The principal of a client with a certificate is its subject, such as {@code
   * User:CN=alice}, unless it logs in.
   *
   * @param settings the brokers' keys, for the names {@code localhost} and {@code 127.0.0.1}, and whether clients are
   *     to show certificates
   * @return this
   */
  public FakeClusterBuilder tls(TlsSettings settings) {
    security.tls(settings);
    return this;
  }

  /**
   * Allows operations, as {@link FakeSecurity#allow}: from now on all is denied that is not allowed.
   *
   * @param principal whom, such as {@code User:alice}; {@code User:*} for all
   * @param resource what it is about
   * @param operations what is allowed
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
   * @param principal whom, such as {@code User:alice}; {@code User:*} for all
   * @param resource what it is about
   * @param operations what is denied
   * @return this
   * @throws IllegalArgumentException if the principal does not begin with {@code User:}
   */
  public FakeClusterBuilder deny(String principal, Resource resource, Operation... operations) {
    security.rules(FakeSecurity.rules(principal, resource, false, operations));
    return this;
  }

  /**
   * Allows a client everything. All others may do what rules allow them.
   *
   * @param principal who, such as {@code User:admin}
   * @return this
   */
  public FakeClusterBuilder superUser(String principal) {
    security.superUser(principal);
    return this;
  }

  /**
   * Starts the cluster. Its brokers can be used when this returns.
   *
   * @throws FakeClusterException if a port is taken
   * @throws IllegalArgumentException if a topic cannot be made, or there are too few ports behind the first one
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
