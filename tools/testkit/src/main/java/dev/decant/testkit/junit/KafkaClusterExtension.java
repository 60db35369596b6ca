package dev.decant.testkit.junit;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.testkit.ClusterException;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.KafkaClusterBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test class a real Kafka cluster. With {@code @ExtendWith(KafkaClusterExtension.class)} all test classes of a
 * run share one broker. With a static field, a class may have a cluster of its own:
 *
 * <pre>
 * &#64;RegisterExtension
 * static final KafkaClusterExtension kafka = KafkaClusterExtension.of(KafkaCluster.builder().brokers(3));
 * </pre>
 *
 * <p>Methods of the class may have parameters of type {@link KafkaCluster} and {@link KafkaClient}. The client is made
 * on its first use, belongs to the class, and is closed after its last test. Then a cluster of the class's own ends.
 * The shared cluster ends with the run. Brokers end with this JVM in any case.
 *
 * <p>Threads: any; test classes may run concurrently.
 */
public final class KafkaClusterExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {
  private static final Namespace SHARED = Namespace.create(KafkaClusterExtension.class);
  private static final Object SHARED_START = new Object();

  private final Namespace namespace = Namespace.create(KafkaClusterExtension.class, this);
  /** Builder of the class's own cluster; null for the shared one. */
  private final @Nullable KafkaClusterBuilder own;
  /** The result of {@link #cluster}; written when a class begins. */
  private volatile @Nullable KafkaCluster current;

  /**
   * Makes an extension with the shared cluster: one broker with the defaults, which starts with the first class that
   * uses it.
   */
  public KafkaClusterExtension() {
    this(null);
  }

  private KafkaClusterExtension(@Nullable KafkaClusterBuilder own) {
    this.own = own;
  }

  /**
   * Returns an extension with the shared cluster, for a static field with {@code @RegisterExtension}.
   *
   * @return the extension
   */
  public static KafkaClusterExtension shared() {
    return new KafkaClusterExtension();
  }

  /**
   * Returns an extension with a cluster that starts with the test class, and ends with it.
   *
   * @param cluster its builder
   * @return the extension, for a static field with {@code @RegisterExtension}
   */
  public static KafkaClusterExtension of(KafkaClusterBuilder cluster) {
    return new KafkaClusterExtension(cluster);
  }

  /**
   * Returns the cluster.
   *
   * @return a cluster that serves
   * @throws IllegalStateException before the class's first test begins
   */
  public KafkaCluster cluster() {
    KafkaCluster cluster = current;
    if (cluster == null) {
      throw new IllegalStateException("the cluster starts with the test class: ask for it in @BeforeAll or later, and"
          + " register the extension by a static field");
    }
    return cluster;
  }

  /**
   * Returns the bootstrap servers.
   *
   * @return {@code host:port} of the brokers, with commas
   * @throws IllegalStateException before the class's first test begins
   */
  public String bootstrap() {
    return cluster().bootstrap();
  }

  /**
   * Creates a topic and waits until every partition has a leader.
   *
   * @param name its name; in a shared cluster the topics of other classes are there, too
   * @param partitions how many
   */
  public void createTopic(String name, int partitions) {
    cluster().createTopic(name, partitions);
  }

  /**
   * Creates a topic with a unique name, and waits until every partition has a leader.
   *
   * @param partitions how many
   * @return its name
   */
  public String createTopic(int partitions) {
    return cluster().createTopic(partitions);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    Store store = context.getStore(namespace);
    if (store.get(ClassResources.class) == null) { // an enclosing class may have it already
      KafkaClusterBuilder builder = own;
      KafkaCluster cluster = builder == null ? shared(context.getRoot().getStore(SHARED)) : builder.start();
      store.put(ClassResources.class, new ClassResources(cluster, builder != null));
      current = cluster;
    }
  }

  /** Starts the shared cluster once. A failed start is not repeated, because it may take minutes. */
  private static KafkaCluster shared(Store store) {
    synchronized (SHARED_START) {
      ClusterException failure = store.get(ClusterException.class, ClusterException.class);
      if (failure != null) {
        throw failure;
      }
      KafkaCluster running = store.get(KafkaCluster.class, KafkaCluster.class);
      if (running != null) {
        return running;
      }
      try {
        KafkaCluster started = KafkaCluster.start();
        store.put(KafkaCluster.class, started);
        return started;
      } catch (ClusterException e) {
        store.put(ClusterException.class, e);
        throw e;
      }
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    resources(context);
  }

  private ClassResources resources(ExtensionContext context) {
    ClassResources resources = context.getStore(namespace).get(ClassResources.class, ClassResources.class);
    if (resources == null) {
      throw new ExtensionConfigurationException("KafkaClusterExtension is registered by a field of "
          + context.getRequiredTestClass().getName() + " that is not static; make it static, so that the cluster starts"
          + " once for the class");
    }
    return resources;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == KafkaCluster.class || type == KafkaClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ClassResources resources = resources(context);
    return parameter.getParameter().getType() == KafkaCluster.class ? resources.cluster : resources.client();
  }

  /** The resources of a test class. JUnit closes them after the class. */
  private static final class ClassResources implements AutoCloseable {
    final KafkaCluster cluster;
    private final boolean ownsCluster;
    /** The client, made on first use; guarded by this. */
    private @Nullable KafkaClient client;

    ClassResources(KafkaCluster cluster, boolean ownsCluster) {
      this.cluster = cluster;
      this.ownsCluster = ownsCluster;
    }

    synchronized KafkaClient client() {
      KafkaClient known = client;
      if (known == null) {
        known = KafkaClient.connect(cluster.bootstrap());
        client = known;
      }
      return known;
    }

    @Override
    public synchronized void close() {
      try {
        KafkaClient known = client;
        if (known != null) {
          known.close();
        }
      } finally {
        if (ownsCluster) {
          cluster.close();
        }
      }
    }
  }
}
