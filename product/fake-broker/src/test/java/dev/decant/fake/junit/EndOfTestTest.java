package dev.decant.fake.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests that the extension closes a cluster once, after any failure at the end of a test, in all releases of JUnit. */
@Timeout(30)
class EndOfTestTest {
  private final Map<Object, Object> stored = new HashMap<>();
  private final AtomicReference<@Nullable RuntimeException> defect = new AtomicReference<>();
  private final FakeKafkaExtension extension = new FakeKafkaExtension();

  @FakeKafka(topics = "orders")
  static final class Tested {}

  /** Returns the context of a test, with the parts that the extension uses; its store never ends. */
  private ExtensionContext context() {
    InvocationHandler store = (proxy, method, arguments) -> switch (method.getName()) {
      case "put" -> stored.put(arguments[0], arguments[1]);
      case "get" -> stored.get(arguments[0]);
      case "remove" -> {
        failIfAsked();
        yield stored.remove(arguments[0]);
      }
      default -> throw new UnsupportedOperationException(method.getName());
    };
    Object ofStore = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Store.class}, store);
    return (ExtensionContext) Proxy.newProxyInstance(getClass().getClassLoader(),
        new Class<?>[] {ExtensionContext.class}, (proxy, method, arguments) -> switch (method.getName()) {
          case "getStore" -> ofStore;
          case "getRequiredTestClass" -> {
            failIfAsked();
            yield Tested.class;
          }
          case "getElement", "getTestInstances", "getParent", "getTestMethod" -> Optional.empty();
          case "getExecutionMode" -> ExecutionMode.SAME_THREAD;
          case "getRequiredTestInstances" -> throw new IllegalStateException("there are no instances");
          default -> throw new UnsupportedOperationException(method.getName());
        });
  }

  /** Fails once. */
  private void failIfAsked() {
    RuntimeException failure = defect.getAndSet(null);
    if (failure != null) {
      throw failure;
    }
  }

  @Test
  void aDefectBeforeTheEndDoesNotLeaveTheClusterRunning() {
    extension.beforeEach(context());
    FakeCluster cluster = stored.values().stream().filter(FakeKafkaExtension.Given.class::isInstance)
        .map(given -> ((FakeKafkaExtension.Given) given).cluster()).findFirst().orElseThrow();
    defect.set(new IllegalStateException("the fields cannot be restored"));
    assertThatThrownBy(() -> extension.afterEach(context())).hasMessageContaining("cannot be restored");
    assertThatThrownBy(cluster::requests).isInstanceOf(FakeClusterException.class).hasMessageContaining("closed");
  }

  /** JUnit 5.13 closes closeable values of its stores, and older releases do not: the extension closes them in all. */
  @Test
  void theStoreHasNothingToClose() {
    extension.beforeEach(context());
    assertThat(stored.values()).isNotEmpty().noneMatch(AutoCloseable.class::isInstance);
    extension.afterEach(context());
    assertThat(stored).isEmpty();
  }

  @Test
  void aTranscriptThatFailsIsNotTheFailureThatIsReported() {
    AssertionError failure = new AssertionError("the order is missing");
    defect.set(new UnsupportedOperationException("no transcript"));
    assertThatThrownBy(() -> extension.handleTestExecutionException(context(), failure)).isSameAs(failure)
        .satisfies(reported -> assertThat(reported.getSuppressed()).hasSize(1).allSatisfy(
            suppressed -> assertThat(suppressed).hasMessage("no transcript")));
  }
}
