package dev.decant.replay;

import dev.decant.fake.FakeCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kafka.integration.KafkaServerTestHarness;
import kafka.server.ControllerServer;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import kafka.utils.TestUtils;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.resource.ResourcePattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import scala.Option;
import scala.collection.Seq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Set;
import scala.collection.mutable.Buffer;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Takes the place of {@code KafkaServerTestHarness} as the superclass of Apache's tests in Scala: their brokers are
 * those of a fake cluster. {@link FakeBrokerView} shows a test what can be shown of them.
 */
public abstract class FakeHarness extends KafkaServerTestHarness {
  private static final Pattern PROTOCOL = Pattern.compile("groupProtocol\\s*=\\s*\"?(\\w+)");

  private final List<KafkaBroker> views = new ArrayList<>();
  private @Nullable TestInfo test;
  private @Nullable FakeCluster cluster;
  private @Nullable FakeAuthorizer authorizer;

  private FakeCluster cluster() {
    return Objects.requireNonNull(cluster, "the cluster is not started");
  }

  private FakeAuthorizer authorizer() {
    return Objects.requireNonNull(authorizer, "the cluster is not started");
  }

  @Override
  @BeforeEach
  public void setUp(TestInfo testInfo) {
    test = testInfo;
    List<KafkaConfig> ofBrokers = CollectionConverters.asJava(configs());
    configureSecurityBeforeServersStart(testInfo);
    java.util.Map<String, String> settings = new HashMap<>();
    List<String> racks = new ArrayList<>();
    for (KafkaConfig one : ofBrokers) {
      one.originals().forEach((name, value) -> settings.put(name, FakeBrokers.text(value)));
      if (one.originals().get("broker.rack") instanceof String rack) {
        racks.add(rack);
      }
    }
    FakeCluster started = FakeBrokers.start(ofBrokers.size(), racks, settings, securityProtocol());
    cluster = started;
    FakeAuthorizer ofAll = new FakeAuthorizer(started.security());
    authorizer = ofAll;
    ofBrokers.forEach(one -> views.add(FakeBrokerView.of(started, one.brokerId(), one, ofAll)));
    configureSecurityAfterServersStart();
  }

  @Override
  @AfterEach
  public void tearDown() {
    if (cluster != null) {
      cluster.close();
    }
    views.clear();
  }

  @Override
  public String bootstrapServers(ListenerName listener) {
    return cluster().bootstrap();
  }

  @Override
  public Buffer<KafkaBroker> brokers() {
    return CollectionConverters.asScala(views);
  }

  @Override
  public Buffer<KafkaBroker> servers() {
    return brokers();
  }

  @Override
  public Seq<KafkaBroker> aliveBrokers() {
    return CollectionConverters.asScala(views.stream().filter(view -> !view.isShutdown()).toList());
  }

  @Override
  public Option<KafkaBroker> serverForId(int id) {
    return Option.apply(views.get(id));
  }

  @Override
  public int boundPort(KafkaBroker broker) {
    return broker.boundPort(listenerName());
  }

  @Override
  public Seq<ControllerServer> controllerServers() {
    return CollectionConverters.asScala(List.<ControllerServer>of());
  }

  @Override
  public ControllerServer controllerServer() {
    throw new UnsupportedOperationException("a fake cluster has no controllers");
  }

  @Override
  public void ensureConsistentKRaftMetadata() {}

  @Override
  public void createOffsetsTopic(ListenerName listener, Properties properties) {}

  /** A cluster with rules has no listener that they do not concern, so the test's topics do not come by an admin. */
  @Override
  public Map<Object, Object> createTopic(String topic, int partitions, int replicas, Properties settings,
      ListenerName listener, Properties ofAdmin) {
    if (!FakeBrokers.hasRules(CollectionConverters.asJava(configs()).getFirst())) {
      return super.createTopic(topic, partitions, replicas, settings, listener, ofAdmin);
    }
    java.util.Map<String, String> named = new HashMap<>();
    settings.forEach((name, value) -> named.put(String.valueOf(name), String.valueOf(value)));
    cluster().createTopic(topic, partitions, named);
    java.util.Map<Object, Object> leaders = new HashMap<>();
    for (int i = 0; i < partitions; i++) {
      leaders.put(i, cluster().log(topic, i).leader());
    }
    return Map.from(CollectionConverters.asScala(leaders));
  }

  @Override
  public Option<GroupProtocol> maybeGroupProtocolSpecified() {
    Matcher named = PROTOCOL.matcher(Objects.requireNonNull(test).getDisplayName());
    return Option.apply(named.find() ? GroupProtocol.of(named.group(1)) : null);
  }

  @Override
  public void killBroker(int index, Duration limit) {
    cluster().broker(index).kill();
  }

  @Override
  public void killBroker(int index) {
    cluster().broker(index).kill();
  }

  @Override
  public int killRandomBroker() {
    killBroker(0);
    return 0;
  }

  @Override
  public void startBroker(int index) {
    cluster().broker(index).restart();
  }

  @Override
  public void restartDeadBrokers(boolean reconfigure) {
    views.stream().filter(KafkaBroker::isShutdown).forEach(view -> startBroker(view.config().brokerId()));
  }

  @Override
  public void addAndVerifyAcls(Set<AccessControlEntry> entries, ResourcePattern resource) {
    var unused = authorizer().createAcls(TestUtils.anonymousAuthorizableContext(),
        CollectionConverters.asJava(entries).stream().map(entry -> new AclBinding(resource, entry)).toList());
  }

  @Override
  public void removeAndVerifyAcls(Set<AccessControlEntry> entries, ResourcePattern resource) {
    var unused = authorizer().deleteAcls(TestUtils.anonymousAuthorizableContext(), CollectionConverters.asJava(entries)
        .stream().map(entry -> new AclBinding(resource, entry).toFilter()).toList());
  }

  @Override
  public void waitForUserScramCredentialToAppearOnAllBrokers(String user, String mechanism) {}
}
