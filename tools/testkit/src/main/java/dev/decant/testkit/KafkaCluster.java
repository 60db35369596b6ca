package dev.decant.testkit;

import dev.decant.testkit.fault.FaultProxy;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka cluster in KRaft mode on the loopback interface. Each of its nodes is broker and controller in a JVM of
 * its own, with free ports and a temporary directory. It ends with {@link #close}, and also when this process ends in
 * any other way, SIGKILL included. (A node that is suspended at that moment ends as soon as it is resumed.)
 *
 * <p>Apache's own admin client, inside a broker's JVM, serves all requests of a test here. A test may therefore use it
 * as an oracle for Decant. Threads: any.
 */
public final class KafkaCluster implements TestCluster {
  /** Bytes that a partition of a scratch topic keeps; its segments are a part of that. */
  private static final int KEPT_BYTES = 64 << 20;
  private static final int SEGMENT_BYTES = 16 << 20;

  private final Path home;
  /** The timeout of each request to a broker. */
  private final Duration timeout;
  private final List<BrokerNode> nodes = new ArrayList<>();
  /** The proxies, one in front of each node, or none at all. A node that moves gets another one. */
  private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
  private final LoopbackPorts reserved;
  /** The secured listeners. Set once, while the cluster starts. */
  private @Nullable SecuredListeners listeners;
  private final AtomicInteger uniqueTopics = new AtomicInteger();
  private boolean closed;

  /**
   * Starts one node with the defaults.
   *
   * @return a cluster that serves
   */
  public static KafkaCluster start() {
    return new KafkaClusterBuilder().start();
  }

  /**
   * Makes a builder of a cluster with one node.
   *
   * @return a builder
   */
  public static KafkaClusterBuilder builder() {
    return new KafkaClusterBuilder();
  }

  KafkaCluster(KafkaClusterBuilder builder) {
    timeout = builder.timeout;
    reserved = LoopbackPorts.reserve(portsOf(builder));
    try {
      home = LogDirectory.create(builder.inMemory);
    } catch (RuntimeException e) {
      reserved.close();
      throw e;
    }
    try {
      launch(builder);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Returns the number of ports for brokers, controllers, proxies and secured listeners. */
  private static int portsOf(KafkaClusterBuilder builder) {
    return (3 + builder.listeners.size()) * builder.brokers;
  }

  private void launch(KafkaClusterBuilder builder) {
    int count = builder.brokers;
    int[] ports = reserved.all();
    int[] brokerPorts = builder.firstPort == 0
        ? Arrays.copyOf(ports, count)
        : LoopbackPorts.requireFree(IntStream.range(builder.firstPort, builder.firstPort + count).toArray());
    int[] controllerPorts = Arrays.copyOfRange(ports, count, 2 * count);
    if (!builder.racks.isEmpty() && builder.racks.size() != count) {
      throw new IllegalArgumentException("racks: " + builder.racks + " for " + count + " brokers; name one for each");
    }
    Map<String, String> overrides = new HashMap<>(keepsLogsInMemory() ? BrokerSettings.QUICK_DELETION : Map.of());
    overrides.putAll(builder.settings);
    int[] listenerPorts = Arrays.copyOfRange(ports, 3 * count, ports.length);
    SecuredListeners secured = new SecuredListeners(builder.listeners, count, listenerPorts, home);
    listeners = secured;
    BrokerCache cache = builder.brokerJars.isEmpty() ? BrokerCache.open() : null;
    List<String> jvmArguments = new ArrayList<>(builder.jvmArguments);
    jvmArguments.addAll(secured.jvmArguments());
    jvmArguments.addAll(builder.brokerJars.isEmpty()
        ? BrokerJars.arguments(cache, home)
        : BrokerJars.arguments(builder.brokerJars));
    String clusterId = clusterId();
    for (int id = 1; id <= count; id++) {
      Path nodeHome = home.resolve("node-" + id);
      Properties settings = BrokerSettings.of(id, brokerPorts, controllerPorts, nodeHome.resolve("logs"),
          overrides);
      settings.setProperty("decant.cluster.id", clusterId);
      if (!builder.racks.isEmpty()) {
        settings.setProperty("broker.rack", builder.racks.get(id - 1));
      }
      if (builder.faultProxies) {
        int proxiedPort = ports[2 * count + id - 1];
        FaultProxy proxy = FaultProxy.start(proxiedPort, builder.faultSeed + id);
        proxies.add(proxy);
        BrokerSettings.addProxiedListener(settings, proxiedPort, proxy.port());
      }
      secured.addTo(settings, id);
      StringJoiner features = new StringJoiner(",");
      builder.features.forEach((name, level) -> features.add(name + "=" + level));
      settings.setProperty("decant.features", features.toString());
      nodes.add(new BrokerNode(id, brokerPorts[id - 1], nodeHome, settings, jvmArguments));
    }
    if (cache != null && count == 1 && jvmArguments.stream().noneMatch(flag -> flag.startsWith("-javaagent"))) {
      nodes.getFirst().train(cache.train());
    }
    nodes.forEach(BrokerNode::launch);
    for (BrokerNode node : nodes) {
      node.awaitReady(count, timeout);
    }
    builder.scramUsers.forEach(this::setScramPassword);
  }

  /** Returns a random cluster id: Kafka requires 16 bytes in URL-safe base 64. */
  private static String clusterId() {
    UUID id = UUID.randomUUID();
    byte[] bytes = java.nio.ByteBuffer.allocate(16).putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits()).array();
    bytes[0] &= 0x3f; // an id that begins with '-' would be an option of the tool
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** {@inheritDoc} With fault proxies, these are the addresses of the proxies. */
  @Override
  public String bootstrap() {
    return proxies.isEmpty() ? directBootstrap() : addresses(proxies.stream().mapToInt(FaultProxy::port));
  }

  /**
   * Returns the bootstrap servers for a client that bypasses the proxies, such as an oracle.
   *
   * @return {@code host:port} of the nodes, with commas
   */
  public String directBootstrap() {
    return addresses(nodes.stream().mapToInt(BrokerNode::port));
  }

  /**
   * Returns the bootstrap servers for clients of a secured listener. There are no proxies in between.
   *
   * @param listener that the cluster was built with
   * @return {@code host:port} of the nodes, with commas
   */
  public String bootstrap(Listener listener) {
    return listeners().bootstrap(Objects.requireNonNull(listener, "listener"));
  }

  private SecuredListeners listeners() {
    return Objects.requireNonNull(listeners, "a cluster that is returned has started");
  }

  private static String addresses(IntStream ports) {
    return ports.mapToObj(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  /**
   * Returns the proxy in front of a node.
   *
   * @param id of the node, from 1
   * @return the proxy; the cluster closes it
   */
  public FaultProxy proxy(int id) {
    if (proxies.isEmpty()) {
      throw new ClusterException("the cluster has no fault proxies; build it with faultProxies(seed)");
    }
    return proxies.get(id - 1);
  }

  /**
   * Gives a node another address, and closes its former proxy, so nothing listens there any more. The node must be
   * down. It advertises the new address after {@link BrokerNode#restart}.
   *
   * @param id of the node, from 1
   * @return the proxy at the new address, without faults; the cluster closes it
   */
  public synchronized FaultProxy move(int id) {
    FaultProxy former = proxy(id);
    FaultProxy next = former.startAnother();
    try {
      node(id).advertise(former.port(), next.port());
    } catch (RuntimeException e) {
      next.close();
      throw e;
    }
    proxies.set(id - 1, next);
    former.close();
    return next;
  }

  /**
   * Returns one of the nodes.
   *
   * @param id from 1
   * @return the node
   */
  public BrokerNode node(int id) {
    return nodes.get(id - 1);
  }

  /**
   * Returns true if the brokers write to memory instead of a disk.
   *
   * @return false if that was not wanted, or the system has no file system in memory with room for 8 GiB
   */
  public boolean keepsLogsInMemory() {
    return LogDirectory.isInMemory(home);
  }

  /** {@inheritDoc} Each partition has as many replicas as the cluster has nodes, three at most. */
  @Override
  public void createTopic(String name, int partitions) {
    createTopic(name, partitions, defaultReplicas());
  }

  private int defaultReplicas() {
    return Math.min(3, nodes.size());
  }

  @Override
  public void createTopics(List<String> names, int partitions) {
    create(names, partitions, defaultReplicas(), "");
  }

  private void create(List<String> names, int partitions, int replicas, String settings) {
    String what = " " + partitions + " " + replicas + settings;
    anyNode().ask("create " + TopicNames.word(names) + what, "create " + TopicNames.shown(names) + what, timeout);
  }

  /**
   * {@inheritDoc} With logs on a disk the topic keeps all records. A broker forces each full segment to the disk, so
   * small segments would cost time.
   */
  @Override
  public void createScratchTopic(String name, int partitions) {
    createScratchTopics(List.of(name), partitions);
  }

  /** {@inheritDoc} */
  @Override
  public void createScratchTopics(List<String> names, int partitions) {
    create(names, partitions, defaultReplicas(),
        keepsLogsInMemory() ? " retention.bytes=" + KEPT_BYTES + " segment.bytes=" + SEGMENT_BYTES : "");
  }

  /**
   * Creates a topic with a unique name, for tests that share a cluster.
   *
   * @param partitions how many
   * @return its name
   */
  public String createTopic(int partitions) {
    String name = "topic-" + uniqueTopics.incrementAndGet();
    createTopic(name, partitions);
    return name;
  }

  /**
   * Creates a topic and waits until every partition has a leader.
   *
   * @param name its name
   * @param partitions how many
   * @param replicas of each partition
   */
  public void createTopic(String name, int partitions, int replicas) {
    create(List.of(name), partitions, replicas, "");
  }

  @Override
  public void deleteTopic(String name) {
    deleteTopics(List.of(name));
  }

  @Override
  public void deleteTopics(List<String> names) {
    anyNode().ask("delete " + TopicNames.word(names), "delete " + TopicNames.shown(names), timeout);
  }

  @Override
  public void configureGroup(String name, int sessionMillis, int intervalMillis) {
    anyNode().ask("group " + name + " " + sessionMillis + " " + intervalMillis, timeout);
  }

  @Override
  public long[] endOffsets(String topic) {
    return endOffsets(List.of(topic)).getFirst();
  }

  @Override
  public List<long[]> endOffsets(List<String> topics) {
    return TopicNames.offsets(
        anyNode().ask("ends " + TopicNames.word(topics), "ends " + TopicNames.shown(topics), timeout));
  }

  /**
   * Returns the node that leads a partition.
   *
   * @param topic its name
   * @param partition its number
   * @return the node
   */
  public BrokerNode leader(String topic, int partition) {
    return node(Integer.parseInt(anyNode().ask("leader " + topic + " " + partition, timeout)));
  }

  /**
   * Returns the nodes with a replica of a partition.
   *
   * @param topic its name
   * @param partition its number
   * @return the nodes, the preferred leader first
   */
  public List<BrokerNode> replicas(String topic, int partition) {
    String ids = anyNode().ask("replicas " + topic + " " + partition, timeout);
    return Stream.of(ids.split(" ", -1)).map(id -> node(Integer.parseInt(id))).toList();
  }

  /**
   * Waits until every replica of a topic is in sync, as one does between the steps of a rolling restart.
   *
   * @param topic its name
   */
  public void awaitInSync(String topic) {
    anyNode().ask("sync " + topic, timeout);
  }

  /**
   * Adds a user of SCRAM-SHA-256 and SCRAM-SHA-512, or replaces a user's password. Open connections stay. When this
   * returns, every broker knows the password.
   *
   * @param user a name
   * @param password the user's from now on
   */
  public void setScramPassword(String user, String password) {
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(password, "password");
    change("scram " + word(user) + " " + word(password), "set the SCRAM password of " + user);
  }

  /**
   * Allows an operation, if the brokers check rules: see {@link KafkaClusterBuilder#authorizer}.
   *
   * @param principal such as {@code User:alice} or {@code User:*}
   * @param operation such as {@code WRITE}, {@code READ}, {@code DESCRIBE} or {@code ALL}
   * @param resourceType {@code TOPIC}, {@code GROUP}, {@code TRANSACTIONAL_ID} or {@code CLUSTER}
   * @param name of the resource; {@code *} stands for each one
   */
  public void allow(String principal, String operation, String resourceType, String name) {
    rule("ALLOW", principal, operation, resourceType, name);
  }

  /**
   * Denies an operation. A denial takes precedence over all rules that allow it.
   *
   * @param principal as for {@link #allow}
   * @param operation as for {@link #allow}
   * @param resourceType as for {@link #allow}
   * @param name as for {@link #allow}
   */
  public void deny(String principal, String operation, String resourceType, String name) {
    rule("DENY", principal, operation, resourceType, name);
  }

  private void rule(String permission, String principal, String operation, String resourceType, String name) {
    Objects.requireNonNull(principal, "principal");
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(resourceType, "resourceType");
    Objects.requireNonNull(name, "name");
    change("acl " + permission + " " + word(principal) + " " + word(operation) + " " + word(resourceType) + " "
        + word(name), String.join(" ", permission, principal, operation, resourceType, name));
  }

  /**
   * Replaces the certificate of the brokers at a listener while they run (KIP-226). New connections get it. Subject and
   * host names must be those of the certificate before.
   *
   * @param listener that the cluster was built with, with TLS
   * @param certificate the new one
   */
  public synchronized void replaceCertificate(Listener listener, TestCertificate certificate) {
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(certificate, "certificate");
    try {
      Path store = listeners().writeCertificate(listener, certificate);
      for (BrokerNode node : nodes) {
        change("keystore " + node.id() + " " + word(listener.prefix()) + " " + word(store.toString()),
            "replace the certificate of " + listener.name());
      }
    } catch (IOException e) {
      throw new ClusterException("the certificate for " + listener.name() + " cannot be written: " + e.getMessage(), e);
    }
  }

  /** Returns a text as one word of a request. */
  private static String word(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Stores a change, and waits until every running broker has applied it. */
  private void change(String request, String shown) {
    anyNode().ask(request, shown, timeout);
    List<BrokerNode> running = nodes.stream().filter(node -> node.isAlive() && !node.isSuspended()).toList();
    long end = running.stream().mapToLong(node -> Long.parseLong(node.ask("committed", timeout))).max().orElse(0);
    running.forEach(node -> node.ask("applied " + end, timeout));
  }

  @Override
  public void settle() {
    try {
      Files.walkFileTree(home, new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
          try (FileChannel channel = FileChannel.open(file)) {
            channel.force(false);
          } catch (NoSuchFileException e) {
            return FileVisitResult.CONTINUE; // the file was deleted meanwhile
          }
          return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
          if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
          }
          throw e;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
          return FileVisitResult.CONTINUE;
        }
      });
    } catch (IOException e) {
      throw new ClusterException("what the brokers have written cannot be forced to the disk", e);
    }
  }

  private BrokerNode anyNode() {
    for (BrokerNode node : nodes) {
      if (node.isAlive() && !node.isSuspended()) {
        return node;
      }
    }
    throw new ClusterException("no broker of the cluster is running");
  }

  /**
   * Ends every node and removes the cluster's files. The first cluster of one node on a machine takes some
   * seconds for that: its broker writes an archive of its classes for later clusters. A second call waits for the
   * first.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    proxies.forEach(FaultProxy::close);
    nodes.forEach(BrokerNode::close);
    reserved.close();
    LogDirectory.remove(home);
  }
}
