package dev.decant.replay;

import dev.decant.fake.FakeCluster;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kafka.server.ControllerServer;
import kafka.server.KafkaBroker;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.test.ClusterInstance;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.apache.kafka.common.test.api.Type;
import org.apache.kafka.server.fault.FaultHandlerException;
import org.jspecify.annotations.Nullable;

/**
 * A fake cluster as tests of Apache's see it. It has no controllers, and its brokers are {@linkplain FakeBrokerView
 * views}. What real brokers learn one after another, those of a fake cluster know at once, so nothing waits for it.
 */
final class FakeInstance implements ClusterInstance {
  private final ClusterConfig config;
  private @Nullable FakeCluster cluster;
  private @Nullable FakeAuthorizer authorizer;
  private boolean isStopped;

  FakeInstance(ClusterConfig config) {
    this.config = config;
  }

  private FakeCluster cluster() {
    return Objects.requireNonNull(cluster, "the cluster is not started");
  }

  @Override
  public void start() {
    if (cluster == null) {
      Map<String, String> settings = new HashMap<>(config.serverProperties());
      List<String> racks = IntStream.range(0, config.numBrokers()).mapToObj(id -> {
        Map<String, String> own = config.perServerOverrideProperties().getOrDefault(id, Map.of());
        settings.putAll(own);
        return own.get("broker.rack");
      }).filter(Objects::nonNull).toList();
      cluster = FakeBrokers.start(config.numBrokers(), racks, settings, config.brokerSecurityProtocol());
      authorizer = new FakeAuthorizer(cluster.security());
    }
  }

  @Override
  public boolean started() {
    return cluster != null;
  }

  @Override
  public void stop() {
    if (cluster != null && !isStopped) {
      isStopped = true;
      cluster.close();
    }
  }

  @Override
  public boolean stopped() {
    return isStopped;
  }

  @Override
  public void shutdownBroker(int brokerId) {
    cluster().broker(brokerId).kill();
  }

  @Override
  public void startBroker(int brokerId) {
    cluster().broker(brokerId).restart();
  }

  @Override
  public Type type() {
    return Type.KRAFT;
  }

  @Override
  public Map<Integer, KafkaBroker> brokers() {
    FakeCluster of = cluster();
    FakeAuthorizer ofAll = Objects.requireNonNull(authorizer);
    return brokerIds().stream().collect(Collectors.toMap(id -> id, id -> FakeBrokerView.of(of, id, null, ofAll)));
  }

  @Override
  public Map<Integer, ControllerServer> controllers() {
    return Map.of();
  }

  @Override
  public ClusterConfig config() {
    return config;
  }

  @Override
  public Set<Integer> controllerIds() {
    return Set.of();
  }

  @Override
  public Set<Integer> brokerIds() {
    return IntStream.range(0, config.numBrokers()).boxed().collect(Collectors.toSet());
  }

  @Override
  public ListenerName clientListener() {
    return config.brokerListenerName();
  }

  @Override
  public ListenerName controllerListenerName() {
    return config.controllerListenerName();
  }

  @Override
  public String bootstrapServers() {
    return cluster().bootstrap();
  }

  @Override
  public String bootstrapControllers() {
    throw new UnsupportedOperationException("a fake cluster has no controllers");
  }

  @Override
  public List<Integer> brokerBoundPorts() {
    return Arrays.stream(bootstrapServers().split(",", -1))
        .map(address -> Integer.valueOf(address.substring(address.lastIndexOf(':') + 1))).toList();
  }

  @Override
  public String clusterId() {
    return cluster().clusterId();
  }

  @Override
  public Set<GroupProtocol> supportedGroupProtocols() {
    return Set.of(GroupProtocol.CLASSIC, GroupProtocol.CONSUMER);
  }

  @Override
  public Optional<FaultHandlerException> firstFatalException() {
    return Optional.empty();
  }

  @Override
  public Optional<FaultHandlerException> firstNonFatalException() {
    return Optional.empty();
  }

  @Override
  public void waitForReadyBrokers() {}

  @Override
  public void waitTopicDeletion(String topic) {}

  @Override
  public void waitTopicCreation(String topic, int partitions) {}

  @Override
  public void ensureConsistentMetadata() {}

  @Override
  public void ensureConsistentMetadata(Collection<KafkaBroker> brokers, Collection<ControllerServer> controllers) {}

  @Override
  public void waitAcls(AclBindingFilter filter, Collection<AccessControlEntry> entries) {}
}
