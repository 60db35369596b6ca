package dev.decant.fake.junit;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka.Lifetime;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestInstances;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * The extension behind {@link FakeKafka}, which registers it. It has no state: clusters are in the stores of JUnit's
 * contexts, so tests may run in parallel.
 */
final class FakeKafkaExtension
    implements
      BeforeAllCallback,
      BeforeEachCallback,
      AfterEachCallback,
      AfterAllCallback,
      ParameterResolver,
      TestExecutionExceptionHandler,
      LifecycleMethodExecutionExceptionHandler {
  private static final Namespace NAMESPACE = Namespace.create(FakeKafkaExtension.class);
  private static final String CLUSTER = "cluster";
  private static final String FIELDS = "fields";
  private static final String PARALLEL = "junit.jupiter.execution.parallel.enabled";

  /**
   * A cluster in a store. The record is not closeable: stores of JUnit 5.13 and newer would close the cluster a second
   * time.
   */
  record Given(FakeCluster cluster) {}

  @Override
  public void beforeAll(ExtensionContext context) {
    Class<?> testClass = context.getRequiredTestClass();
    FakeKafka nearest = ofClass(testClass);
    if (nearest == null || nearest.lifetime() != Lifetime.CLASS || isOfSpring(testClass)) {
      return;
    }
    if (AnnotationSupport.findAnnotation(testClass, FakeKafka.class).isPresent()) {
      start(context, nearest);
    }
    FakeCluster cluster = find(context);
    if (cluster != null) {
      ClusterFields fields = fieldsOf(context, cluster);
      fields.fill(testClass, null);
      fillInstances(context, fields); // there are instances already with the lifecycle PER_CLASS
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Optional<FakeKafka> ofMethod = AnnotationSupport.findAnnotation(context.getElement(), FakeKafka.class);
    if (ofMethod.isEmpty() && isOfSpring(context.getRequiredTestClass())) {
      return; // Spring fills the fields with its own annotations
    }
    FakeKafka ofClass = ofClass(context.getRequiredTestClass());
    FakeKafka starts = ofMethod.orElse(ofClass != null && ofClass.lifetime() == Lifetime.TEST ? ofClass : null);
    if (starts != null) {
      refuseSharedFields(context);
      start(context, starts);
    }
    FakeCluster cluster = find(context);
    if (cluster != null) {
      fillInstances(context, fieldsOf(context, cluster));
    }
  }

  private static void start(ExtensionContext context, FakeKafka wanted) {
    FakeCluster cluster = FakeClusters.start(wanted);
    ClusterFields.began(cluster);
    store(context).put(CLUSTER, new Given(cluster));
  }

  /** Returns the cluster of a context, or of the nearest one around it that has one. */
  private static @Nullable FakeCluster find(ExtensionContext context) {
    Given given = store(context).get(CLUSTER, Given.class);
    return given == null ? null : given.cluster();
  }

  /**
   * Returns the fields for the cluster. They are in the store before any is set, so the end of the context restores
   * all.
   */
  private static ClusterFields fieldsOf(ExtensionContext context, FakeCluster cluster) {
    Set<FakeCluster> around = new HashSet<>();
    for (ExtensionContext outer = outer(context); outer != null; outer = outer(outer)) {
      FakeCluster other = find(outer);
      if (other != null) {
        around.add(other);
      }
    }
    ClusterFields fields = new ClusterFields(cluster, around);
    store(context).put(FIELDS, fields);
    return fields;
  }

  private static @Nullable ExtensionContext outer(ExtensionContext context) {
    return context.getParent().orElse(null);
  }

  private static void fillInstances(ExtensionContext context, ClusterFields fields) {
    for (Object instance : instances(context)) {
      fields.fill(instance.getClass(), instance);
    }
  }

  private static List<Object> instances(ExtensionContext context) {
    return context.getTestInstances().map(TestInstances::getAllInstances).orElse(List.of());
  }

  /** Rejects shared fields: an instance of a test class cannot hold the clusters of several tests at the same time. */
  private static void refuseSharedFields(ExtensionContext context) {
    boolean isParallel = context.getExecutionMode() == ExecutionMode.CONCURRENT
        && context.getConfigurationParameter(PARALLEL).map(Boolean::parseBoolean).orElse(false);
    ExtensionContext outer = isParallel ? outer(context) : null;
    for (; outer != null; outer = outer(outer)) {
      for (Object shared : instances(outer)) {
        if (ClusterFields.areIn(shared.getClass())) {
          throw new ExtensionConfigurationException("@FakeKafka cannot set fields of " + shared.getClass().getName()
              + ": its tests run at the same time on one instance (PER_CLASS), and each has a cluster of its own; take"
              + " a parameter of type FakeCluster instead of the field, or ask for lifetime = CLASS");
        }
      }
    }
  }

  /** Returns the annotation of the class, or of the nearest one around it; null if only a method has one. */
  private static @Nullable FakeKafka ofClass(Class<?> testClass) {
    for (Class<?> type = testClass; type != null; type = type.getEnclosingClass()) {
      Optional<FakeKafka> found = AnnotationSupport.findAnnotation(type, FakeKafka.class);
      if (found.isPresent()) {
        return found.get();
      }
    }
    return null;
  }

  private static boolean isOfSpring(Class<?> testClass) {
    return ofClass(testClass) != null && SpringTests.isOne(testClass);
  }

  private static Store store(ExtensionContext context) {
    return context.getStore(NAMESPACE);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    end(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    end(context);
  }

  /** Closes the cluster of this context, also after a failure. A cluster of a context around it serves more tests. */
  private static void end(ExtensionContext context) {
    try {
      ClusterFields fields = store(context).remove(FIELDS, ClusterFields.class);
      if (fields != null) {
        fields.restore();
      }
    } finally {
      Given own = store(context).remove(CLUSTER, Given.class);
      if (own != null) {
        ClusterFields.ended(own.cluster());
        own.cluster().close();
      }
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    boolean isAddress = type == String.class && parameter.isAnnotated(FakeBootstrap.class);
    return (type == FakeCluster.class && !SpringTests.isAutowired(parameter)) || isAddress;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    FakeCluster cluster = clusterOf(context);
    if (cluster == null) {
      throw new ParameterResolutionException("@FakeKafka starts a cluster for each test, so "
          + parameter.getDeclaringExecutable() + " comes too early for it; with lifetime = CLASS the cluster starts"
          + " with the class");
    }
    return parameter.getParameter().getType() == String.class ? cluster.bootstrap() : cluster;
  }

  private static @Nullable FakeCluster clusterOf(ExtensionContext context) {
    FakeKafka ofClass = ofClass(context.getRequiredTestClass());
    if (context.getTestMethod().isEmpty() && ofClass != null && ofClass.lifetime() == Lifetime.TEST
        && !isOfSpring(context.getRequiredTestClass())) {
      return null; // a class around it may have one, which does not apply to these tests
    }
    FakeCluster own = find(context);
    if (own != null || !isOfSpring(context.getRequiredTestClass())) {
      return own;
    }
    return SpringTests.clusterOf(context);
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
    addTranscript(context, failure);
    throw failure;
  }

  @Override
  public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
    addTranscript(context, failure);
    throw failure;
  }

  @Override
  public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
    addTranscript(context, failure);
    throw failure;
  }

  @Override
  public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
    addTranscript(context, failure);
    throw failure;
  }

  @Override
  public void handleAfterAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
    addTranscript(context, failure);
    throw failure;
  }

  private static void addTranscript(ExtensionContext context, Throwable failure) {
    if (failure instanceof TestAbortedException) {
      return; // a failed assumption needs no explanation
    }
    // a timeout of the test has interrupted the thread, which could then not call the cluster
    boolean wasInterrupted = Thread.interrupted();
    try {
      FakeCluster cluster = clusterOf(context);
      if (cluster == null || hasTranscript(failure)) {
        return;
      }
      String requests = cluster.transcript();
      failure.addSuppressed(new RequestTranscript(requests.isEmpty()
          ? cluster + " received no requests"
          : "requests that " + cluster + " received:\n" + requests));
    } catch (RuntimeException e) { // for example the test has closed the cluster: report the test's own failure
      failure.addSuppressed(e);
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean hasTranscript(Throwable failure) {
    return List.of(failure.getSuppressed()).stream().anyMatch(RequestTranscript.class::isInstance);
  }
}
