package dev.decant.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/** Builder of a test cluster. One thread. */
public final class KafkaClusterBuilder {
  int brokers = 1;
  /**
   * Default flags of the brokers' JVMs. A broker of a test runs for a minute, and is ready sooner with the first
   * compiler and the serial collector.
   */
  List<String> jvmArguments = List.of("-Xms256m", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  final Map<String, String> settings = new HashMap<>();
  Duration timeout = Duration.ofMinutes(3);
  boolean inMemory;
  boolean faultProxies;
  long faultSeed;
  int firstPort;
  /** Jars of another release; empty for those of the test kit. */
  List<Path> brokerJars = List.of();
  final Map<String, Integer> features = new TreeMap<>();
  List<String> racks = List.of();
  final List<Listener> listeners = new ArrayList<>();
  /** Passwords of SCRAM users, by user. */
  final Map<String, String> scramUsers = new TreeMap<>();

  KafkaClusterBuilder() {}

  /**
   * Sets the number of nodes; 1 by default.
   *
   * @param count 1 or 3; another number of voters survives no more failures than the next smaller odd one
   * @return this
   */
  public KafkaClusterBuilder brokers(int count) {
    if (count < 1 || count > 9) {
      throw new IllegalArgumentException("a test cluster has 1 to 9 brokers, not " + count);
    }
    brokers = count;
    return this;
  }

  /**
   * Sets the flags of the brokers' JVMs. By default the heap has at most 512 MiB and the JVM starts quickly;
   * measurements need other flags.
   *
   * @param arguments as on the command line of {@code java}
   * @return this
   */
  public KafkaClusterBuilder jvmArguments(List<String> arguments) {
    jvmArguments = List.copyOf(arguments);
    return this;
  }

  /**
   * Runs the brokers with another release of Kafka than the test kit's own: 3.3 or later, in KRaft mode.
   *
   * @param jars {@code org.apache.kafka:kafka_2.13} of that release, all that it depends on, and a binding of SLF4J
   * @return this
   */
  public KafkaClusterBuilder brokerJars(List<Path> jars) {
    if (jars.isEmpty()) {
      throw new IllegalArgumentException("brokerJars: there are none");
    }
    brokerJars = List.copyOf(jars);
    return this;
  }

  /**
   * Sets the ports for clients: the first broker has this port, the others the next ones. By default the ports are free
   * ones.
   *
   * @param port of the first broker; when it is taken, the broker does not start
   * @return this
   */
  public KafkaClusterBuilder firstPort(int port) {
    firstPort = port;
    return this;
  }

  /**
   * Sets one setting in the {@code server.properties} of every broker.
   *
   * @param name as in {@code server.properties}
   * @param value its value
   * @return this
   */
  public KafkaClusterBuilder setting(String name, String value) {
    settings.put(name, value);
    return this;
  }

  /**
   * Keeps the brokers' logs in memory, if the system has a file system for that with room for 8 GiB. A disk stops a
   * broker now and then, which disturbs measurements of clients.
   *
   * @return this
   */
  public KafkaClusterBuilder inMemory() {
    inMemory = true;
    return this;
  }

  /**
   * Sets the rack of each node. Leaders then name a follower in the rack of a reader, if there is one.
   *
   * @param names the first is that of node 1; there are as many as nodes
   * @return this
   */
  public KafkaClusterBuilder racks(String... names) {
    racks = List.of(names);
    return setting("replica.selector.class", "org.apache.kafka.common.replica.RackAwareReplicaSelector");
  }

  /**
   * Sets how long to wait for the start and for each response of a broker: three minutes by default, for busy machines.
   *
   * @param value upper bound of waits that mostly end much earlier
   * @return this
   */
  public KafkaClusterBuilder timeout(Duration value) {
    timeout = value;
    return this;
  }

  /**
   * Puts a {@link dev.decant.testkit.fault.FaultProxy} between each broker and its clients: a broker advertises the
   * address of its proxy. Traffic between brokers bypasses the proxies.
   *
   * @param seed of the random choices in the proxies
   * @return this
   */
  public KafkaClusterBuilder faultProxies(long seed) {
    faultProxies = true;
    faultSeed = seed;
    return this;
  }

  /**
   * Sets the level of a feature (KIP-584). By default it is the release's own.
   *
   * @param name such as {@code transaction.version}
   * @param level with which the storage is formatted
   * @return this
   */
  public KafkaClusterBuilder feature(String name, int level) {
    features.put(name, level);
    return this;
  }

  /**
   * Adds a secured listener to each broker, beside the plain one that {@link KafkaCluster#bootstrap()} names. Its
   * clients begin at {@link KafkaCluster#bootstrap(Listener)}.
   *
   * @param listener has a unique name
   * @return this
   */
  public KafkaClusterBuilder listener(Listener listener) {
    Objects.requireNonNull(listener, "listener");
    if (listeners.stream().anyMatch(known -> known.name().equals(listener.name()))) {
      throw new IllegalArgumentException("two listeners are called " + listener.name());
    }
    listeners.add(listener);
    return this;
  }

  /**
   * Adds a user of SCRAM-SHA-256 and SCRAM-SHA-512, for listeners with {@link Listener.Builder#scram()}.
   *
   * @param user a name
   * @param password the user's; {@link KafkaCluster#setScramPassword} changes it
   * @return this
   */
  public KafkaClusterBuilder scramUser(String user, String password) {
    scramUsers.put(Objects.requireNonNull(user, "user"), Objects.requireNonNull(password, "password"));
    return this;
  }

  /**
   * Makes the brokers check the rights of users ({@code StandardAuthorizer}). A resource without rules is open to all.
   * As soon as it has one, by {@link KafkaCluster#allow} or {@link KafkaCluster#deny}, it is open to users that are
   * allowed. The setting {@code allow.everyone.if.no.acl.found=false} closes all others, too.
   *
   * <p>Clients of the plain listener, and others that the brokers know as {@code User:ANONYMOUS}, may do everything.
   *
   * @return this
   */
  public KafkaClusterBuilder authorizer() {
    settings.putIfAbsent("allow.everyone.if.no.acl.found", "true");
    return setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
        .setting("super.users", "User:ANONYMOUS");
  }

  /**
   * Lets clients of secured listeners create delegation tokens (KIP-48), and authenticate by them.
   *
   * @return this
   */
  public KafkaClusterBuilder delegationTokens() {
    return setting("delegation.token.secret.key", UUID.randomUUID().toString());
  }

  /**
   * Starts the cluster and waits until it serves.
   *
   * @return the cluster, which the caller closes
   * @throws ClusterException when a broker does not start in time; the message has the end of its log
   */
  public KafkaCluster start() {
    return new KafkaCluster(this);
  }
}
