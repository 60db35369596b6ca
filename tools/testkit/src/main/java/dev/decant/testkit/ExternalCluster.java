package dev.decant.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A cluster that the test kit did not start. Apache's admin client in a JVM of its own serves the requests. Threads:
 * any.
 */
public final class ExternalCluster implements TestCluster {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final String bootstrap;
  private final ChildJvm admin;
  /** The directory of the admin client's log and of the jars of its class path. */
  private final Path home;
  private int brokers;

  private ExternalCluster(String bootstrap, ChildJvm admin, Path home) {
    this.bootstrap = bootstrap;
    this.admin = admin;
    this.home = home;
  }

  /**
   * Connects to a cluster.
   *
   * @param bootstrap {@code host:port}, several with commas
   * @param timeout how long to wait for its first response
   * @return the cluster; close it to end the admin client
   * @throws UnusableClusterException when it cannot be reached
   */
  public static ExternalCluster connect(String bootstrap, Duration timeout) {
    return connect(bootstrap, 1, timeout);
  }

  /**
   * Connects to a cluster of at least a certain size.
   *
   * @param bootstrap {@code host:port}, several with commas
   * @param brokers how many it must have at least
   * @param timeout how long to wait for its first response
   * @return the cluster; close it to end the admin client
   * @throws UnusableClusterException when it cannot be reached, or has fewer
   */
  public static ExternalCluster connect(String bootstrap, int brokers, Duration timeout) {
    return connect(bootstrap, brokers, timeout, List.of());
  }

  /**
   * Connects to a cluster that requires TLS or credentials.
   *
   * @param bootstrap {@code host:port}, several with commas
   * @param brokers how many it must have at least
   * @param timeout how long to wait for its first response
   * @param clientConfig properties of a client by Kafka's names; the admin client reads the file
   * @return the cluster; close it to end the admin client
   * @throws UnusableClusterException when it cannot be reached, or has fewer
   */
  public static ExternalCluster connect(String bootstrap, int brokers, Duration timeout, Path clientConfig) {
    return connect(bootstrap, brokers, timeout, List.of(clientConfig.toAbsolutePath().toString()));
  }

  private static ExternalCluster connect(String bootstrap, int brokers, Duration timeout, List<String> clientConfig) {
    ExternalCluster cluster = connectAnyway(bootstrap, timeout, clientConfig);
    if (cluster.brokers < brokers) {
      cluster.close();
      throw new UnusableClusterException(Refusals.ofSize(bootstrap, brokers, cluster.brokers), null);
    }
    return cluster;
  }

  private static ExternalCluster connectAnyway(String bootstrap, Duration timeout, List<String> clientConfig) {
    Path home = LogDirectory.create(false);
    ExternalCluster cluster;
    try {
      List<String> arguments = new ArrayList<>(BrokerJars.arguments(BrokerCache.open(), home));
      arguments.add("dev.decant.testkit.broker.AdminMain");
      arguments.add(bootstrap);
      arguments.addAll(clientConfig);
      ChildJvm admin = ChildJvm.start("the admin client", arguments, home.resolve("admin.log"));
      cluster = new ExternalCluster(bootstrap, admin, home);
    } catch (ClusterException e) {
      LogDirectory.remove(home);
      throw e;
    }
    try {
      cluster.brokers = Integer.parseInt(cluster.admin.ask("reach", timeout));
      return cluster;
    } catch (RefusedException e) {
      cluster.close();
      throw new UnusableClusterException(Refusals.ofConnecting(bootstrap, e.refusal()), e);
    } catch (ClusterException e) {
      cluster.close();
      throw new UnusableClusterException("no cluster answers at " + bootstrap + " within " + timeout.toSeconds()
          + " s: check the address, that it can be reached from here, and that it takes connections "
          + (clientConfig.isEmpty() ? "without TLS" : "as " + clientConfig.getFirst() + " says"), e);
    }
  }

  @Override
  public String bootstrap() {
    return bootstrap;
  }

  /**
   * {@inheritDoc}
   *
   * @throws UnusableClusterException when the cluster refuses the topic; the message says what to do
   */
  @Override
  public void createTopic(String name, int partitions) {
    createTopics(List.of(name), partitions);
  }

  /**
   * {@inheritDoc}
   *
   * @throws UnusableClusterException when the cluster refuses a topic; the message says what to do
   */
  @Override
  public void createTopics(List<String> names, int partitions) {
    try {
      ask("create ", names, " " + partitions + " -1");
    } catch (RefusedException e) {
      throw new UnusableClusterException(Refusals.ofCreating(bootstrap, names.getFirst(), e.refusal()), e);
    }
  }

  private String ask(String what, List<String> topics, String more) {
    return admin.ask(what + TopicNames.word(topics) + more, what + TopicNames.shown(topics) + more, TIMEOUT);
  }

  @Override
  public void deleteTopic(String name) {
    deleteTopics(List.of(name));
  }

  @Override
  public void deleteTopics(List<String> names) {
    ask("delete ", names, "");
  }

  @Override
  public void configureGroup(String name, int sessionMillis, int intervalMillis) {
    admin.ask("group " + name + " " + sessionMillis + " " + intervalMillis, TIMEOUT);
  }

  @Override
  public long[] endOffsets(String topic) {
    return endOffsets(List.of(topic)).getFirst();
  }

  @Override
  public List<long[]> endOffsets(List<String> topics) {
    return TopicNames.offsets(ask("ends ", topics, ""));
  }

  /** Ends the admin client; the cluster itself runs on. */
  @Override
  public void close() {
    admin.kill();
    LogDirectory.remove(home);
  }
}
