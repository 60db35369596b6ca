package dev.decant.replay;

import dev.decant.fake.FakeCluster;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import kafka.network.SocketServer;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.internals.Plugin;
import org.apache.kafka.metadata.BrokerState;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.authorizer.Authorizer;
import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;
import scala.Option;

/**
 * A broker of a fake cluster behind the interface that Apache's tests know: its config, its port, whether it lives, and
 * what it knows of topics. All else is the inside of Kafka's brokers, and says so.
 */
final class FakeBrokerView implements InvocationHandler {
  private final FakeCluster cluster;
  private final int id;
  /** Null where the test has not made one itself. */
  private final @Nullable KafkaConfig config;
  private final Authorizer authorizer;
  private final MetadataCache metadata;

  private FakeBrokerView(FakeCluster cluster, int id, @Nullable KafkaConfig config, Authorizer authorizer) {
    this.cluster = cluster;
    this.id = id;
    this.config = config;
    this.authorizer = authorizer;
    metadata = proxy(MetadataCache.class, this::topics);
  }

  /**
   * A view of a broker.
   *
   * @param config the one that a test has made for it, or null
   * @param authorizer the one of all brokers
   */
  static KafkaBroker of(FakeCluster cluster, int id, @Nullable KafkaConfig config, Authorizer authorizer) {
    return proxy(KafkaBroker.class, new FakeBrokerView(cluster, id, config, authorizer));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a proxy is equal to itself
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "config" -> {
        if (config == null) {
          throw inside(method);
        }
        yield config;
      }
      case "authorizerPlugin" -> Option.apply(Plugin.wrapInstance(authorizer, null, "authorizer.class.name"));
      case "brokerState" -> cluster.broker(id).isAlive() ? BrokerState.RUNNING : BrokerState.NOT_RUNNING;
      case "boundPort" -> cluster.broker(id).port();
      case "socketServer" -> Mockito.mock(SocketServer.class, call -> {
        if (call.getMethod().getName().equals("boundPort")) {
          return cluster.broker(id).port();
        }
        throw inside(call.getMethod());
      });
      case "clusterId" -> cluster.clusterId();
      case "isShutdown" -> !cluster.broker(id).isAlive();
      case "metadataCache" -> metadata;
      case "shutdown" -> done(() -> cluster.broker(id).kill());
      case "awaitShutdown" -> done(() -> {});
      case "startup" -> done(() -> cluster.broker(id).restart());
      case "hashCode" -> System.identityHashCode(proxy);
      case "equals" -> proxy == arguments[0];
      case "toString" -> "fake broker " + id;
      default -> throw inside(method);
    };
  }

  @SuppressWarnings("NullAway") // a call of a method without a result gives null
  private static Object done(Runnable call) {
    call.run();
    return null;
  }

  private Object topics(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "numPartitions" -> partitions((String) arguments[0]);
      case "getLeaderAndIsr" -> leader((String) arguments[0], (int) arguments[1]);
      case "contains" -> arguments[0] instanceof String topic && partitions(topic).isPresent();
      default -> throw inside(method);
    };
  }

  private Optional<Integer> partitions(String topic) {
    int count = 0;
    while (leader(topic, count).isPresent()) {
      count++;
    }
    return count == 0 ? Optional.empty() : Optional.of(count);
  }

  private Optional<LeaderAndIsr> leader(String topic, int partition) {
    try {
      int leader = cluster.log(topic, partition).leader();
      return Optional.of(new LeaderAndIsr(leader, List.of(leader)));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // there is no such partition
    }
  }

  private static UnsupportedOperationException inside(Method method) {
    return new UnsupportedOperationException("the test looks into Kafka's brokers: "
        + method.getDeclaringClass().getSimpleName() + "." + method.getName());
  }
}
