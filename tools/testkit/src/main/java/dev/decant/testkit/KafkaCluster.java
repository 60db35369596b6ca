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
 * any other way, SIGKILL included. (A node that is suspended just then ends as soon as it is resumed.)
 *
 * <p>Apache's own admin client, inside a broker's JVM, serves all requests of a test here. A test may therefore use it
 * as an oracle for Decant. Threads: any.
 */
public final class KafkaCluster implements TestCluster {
  /** What a partition of a scratch topic keeps, and in how large pieces it forgets. */
  private static final int KEPT_BYTES = 64 << 20;
  private static final int SEGMENT_BYTES = 16 << 20;

  private final Path home;
  /** For whatever a broker is asked. */
  private final Duration timeout;
  private final List<BrokerNode> nodes = new ArrayList<>();
  /** One in front of each node, or none at all. A node that moves gets another one. */
  private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
  private final LoopbackPorts reserved;
  /** Set once, while the cluster starts. */
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
   * Begins to describe a cluster.
   *
   * @return a builder of one node
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

  /** For brokers, controllers and proxies, and for the secured listeners. */
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

  /** Kafka wants 16 random bytes in URL-safe base 64. */
  private static String clusterId() {
    UUID id = UUID.randomUUID();
    byte[] bytes = java.nio.ByteBuffer.allocate(16).putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits()).array();
    bytes[0] &= 0x3f; // it must not begin with '-', or the tool takes it for an option
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** {@inheritDoc} With fault proxies it is their addresses. */
  @Override
  public String bootstrap() {
    return proxies.isEmpty() ? directBootstrap() : addresses(proxies.stream().mapToInt(FaultProxy::port));
  }

  /**
   * Returns where a client begins that wants no proxies in between: an oracle.
   *
   * @return {@code host:port} of the nodes, with commas
   */
  public String directBootstrap() {
    return addresses(nodes.stream().mapToInt(BrokerNode::port));
  }

  /**
   * Returns where a client of a secured listener begins. There are no proxies in between.
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
   * Gives a node another address, and closes its former proxy: nobody listens there any more. The node is to be down,
   * and advertises the new address after {@link BrokerNode#restart}.
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
   * One of the nodes.
   *
   * @param id from 1
   * @return the node
   */
  public BrokerNode node(int id) {
    return nodes.get(id - 1);
  }

  /**
   * Returns true if the brokers write to memory in place of a disk.
   *
   * @return false if that was not wanted, or the system has no file system in memory with room for 8 GiB
   */
  public boolean keepsLogsInMemory() {
    return LogDirectory.isInMemory(home);
  }

  /** {@inheritDoc} There are as many replicas as nodes, three at most. */
  @Override
  public void createTopic(String name, int partitions) {
    createTopic(name, partitions, usualReplicas());
  }

  private int usualReplicas() {
    return Math.min(3, nodes.size());
  }

  @Override
  public void createTopics(List<String> names, int partitions) {
    create(names, partitions, usualReplicas(), "");
  }

  private void create(List<String> names, int partitions, int replicas, String settings) {
    String what = " " + partitions + " " + replicas + settings;
    anyNode().ask("create " + TopicNames.word(names) + what, "create " + TopicNames.shown(names) + what, timeout);
  }

  /**
   * {@inheritDoc} A broker forces a segment to the disk when it begins the next one, so this is done in memory only.
   */
  @Override
  public void createScratchTopic(String name, int partitions) {
    createScratchTopics(List.of(name), partitions);
  }

  /** {@inheritDoc} */
  @Override
  public void createScratchTopics(List<String> names, int partitions) {
    create(names, partitions, usualReplicas(),
        keepsLogsInMemory() ? " retention.bytes=" + KEPT_BYTES + " segment.bytes=" + SEGMENT_BYTES : "");
  }

  /**
   * Creates a topic with a name that no other has, for tests that share a cluster.
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
   * Which node leads a partition.
   *
   * @param topic its name
   * @param partition its number
   * @return the node
   */
  public BrokerNode leader(String topic, int partition) {
    return node(Integer.parseInt(anyNode().ask("leader " + topic + " " + partition, timeout)));
  }

  /**
   * Which nodes have a replica of a partition.
   *
   * @param topic its name
   * @param partition its number
   * @return the nodes, the one first that leads when there is a choice
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
   * Adds a user of SCRAM-SHA-256 and SCRAM-SHA-512, or gives the user another password. Connections that are there
   * stay. When this returns, every broker knows the password.
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
   * Allows an operation, where the brokers check rules: see {@link KafkaClusterBuilder#authorizer}.
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
   * Denies an operation, whatever else allows it.
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
   * Replaces the certificate that the brokers show at a listener, while they run (KIP-226). New connections get it.
   * Subject and host names have to be those of the certificate before.
   *
   * @param listener that the cluster was built with, with TLS
   * @param certificate what the brokers show from now on
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

  /** Returns a word of a request, whatever characters it has. */
  private static String word(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Has a change stored, and waits until every broker that runs has applied it. */
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
            return FileVisitResult.CONTINUE; // deleted meanwhile, so there is nothing to write
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
   * Ends every node and removes the cluster's files. The first cluster of one node on a machine takes some seconds for
   * that, since its broker writes an archive of its classes for later clusters. A second call waits for the first.
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
