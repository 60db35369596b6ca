package dev.decant.fake.junit;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterException;
import dev.decant.fake.junit.FakeKafka.Lifetime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
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

  @Override
  public void beforeAll(ExtensionContext context) {
    Class<?> testClass = context.getRequiredTestClass();
    Optional<FakeKafka> own = AnnotationSupport.findAnnotation(testClass, FakeKafka.class);
    if (own.isPresent() && own.get().lifetime() == Lifetime.CLASS && !isOfSpring(testClass)) {
      FakeCluster cluster = FakeClusters.start(own.get());
      store(context).put(CLUSTER, cluster);
      ClusterFields.fill(testClass, null, cluster);
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Optional<FakeKafka> ofMethod = AnnotationSupport.findAnnotation(context.getElement(), FakeKafka.class);
    if (ofMethod.isEmpty() && isOfSpring(context.getRequiredTestClass())) {
      return; // Spring fills the fields that ask it to
    }
    FakeKafka ofClass = ofClass(context.getRequiredTestClass());
    FakeKafka starts = ofMethod.orElse(ofClass != null && ofClass.lifetime() == Lifetime.TEST ? ofClass : null);
    if (starts != null) {
      store(context).put(CLUSTER, FakeClusters.start(starts));
    }
    FakeCluster cluster = store(context).get(CLUSTER, FakeCluster.class);
    if (cluster != null) {
      for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
        ClusterFields.fill(instance.getClass(), instance, cluster);
      }
    }
  }

  /** The annotation of the class, or of the nearest one around it; null if only a method has one. */
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
    FakeCluster cluster = store(context).get(CLUSTER, FakeCluster.class);
    if (cluster == null) {
      return;
    }
    for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
      ClusterFields.clear(instance.getClass(), instance, cluster);
    }
    close(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    FakeCluster cluster = store(context).get(CLUSTER, FakeCluster.class);
    if (cluster != null) {
      ClusterFields.clear(context.getRequiredTestClass(), null, cluster);
      close(context);
    }
  }

  /** Closes the cluster of this context. One of a context around it has more tests to come. */
  private static void close(ExtensionContext context) {
    FakeCluster own = store(context).remove(CLUSTER, FakeCluster.class);
    if (own != null) {
      own.close();
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
    FakeCluster own = store(context).get(CLUSTER, FakeCluster.class);
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
      return; // an assumption does not hold: there is nothing to find out
    }
    boolean wasInterrupted = Thread.interrupted(); // by a timeout of the test; the cluster could not be asked
    try {
      FakeCluster cluster = clusterOf(context);
      if (cluster == null || hasTranscript(failure)) {
        return;
      }
      String requests = cluster.transcript();
      failure.addSuppressed(new RequestTranscript(requests.isEmpty()
          ? cluster + " received no requests"
          : "requests that " + cluster + " received:\n" + requests));
    } catch (FakeClusterException | IllegalStateException e) {
      failure.addSuppressed(e); // the test has closed the cluster, or Spring its context: there is no transcript
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
