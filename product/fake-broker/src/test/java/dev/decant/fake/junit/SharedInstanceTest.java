package dev.decant.fake.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterException;
import dev.decant.fake.junit.FakeKafka.Lifetime;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Tests that shared fields of instances and classes hold the cluster of the running test, or none. */
@Timeout(60)
class SharedInstanceTest {
  private static final Map<String, FakeCluster> SEEN = new ConcurrentHashMap<>();
  private static final CyclicBarrier BOTH = new CyclicBarrier(2);
  private static final Map<String, String> TWO_THREADS = Map.of("junit.jupiter.execution.parallel.enabled", "true",
      "junit.jupiter.execution.parallel.config.strategy", "fixed",
      "junit.jupiter.execution.parallel.config.fixed.parallelism", "2");

  private static FakeCluster seen(String name) {
    return Objects.requireNonNull(SEEN.get(name), name);
  }

  private static TestExecutionSummary run(Map<String, String> parameters, Class<?>... classes) {
    SEEN.clear();
    TestExecutionSummary summary = Launched.run(parameters, classes);
    for (FakeCluster cluster : SEEN.values()) {
      assertThatThrownBy(cluster::requests).isInstanceOf(FakeClusterException.class).hasMessageContaining("closed");
    }
    return summary;
  }

  private static void assertSuccess(TestExecutionSummary summary, int tests) {
    assertThat(summary.getFailures().stream().map(TestExecutionSummary.Failure::getException).toList()).isEmpty();
    assertThat(summary.getTestsSucceededCount()).isEqualTo(tests);
  }

  /** The field was null in BeforeAll and AfterAll, although the class had a cluster. */
  @Test
  void anInstanceOfAClassHasTheClusterFromItsBeginningToItsEnd() {
    assertSuccess(run(Map.of(), OfClass.class), 4);
    assertThat(seen("nested")).isSameAs(seen("class"));
    assertThat(seen("method")).isNotSameAs(seen("class"));
    assertThat(seen("each")).isNotIn(seen("class"), seen("method"));
  }

  @FakeKafka(topics = "orders", lifetime = Lifetime.CLASS)
  @TestInstance(Lifecycle.PER_CLASS)
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  static class OfClass {
    @Nullable
    FakeCluster kafka;

    @BeforeAll
    void begin(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
      SEEN.put("class", given);
    }

    @AfterAll
    void end(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
    }

    @FakeKafka
    @Order(1)
    @Test
    void mayHaveOneByItself(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
      SEEN.put("method", given);
    }

    @Order(2)
    @Test
    void hasThatOfTheClassAgain(FakeCluster given) {
      assertThat(kafka).isSameAs(given).isSameAs(SEEN.get("class"));
    }

    @Nested
    @TestInstance(Lifecycle.PER_CLASS)
    class Within {
      @Nullable
      FakeCluster inner;

      @BeforeAll
      void begin() {
        SEEN.put("nested", Objects.requireNonNull(inner));
      }

      @Test
      void hasTheSame(FakeCluster given) {
        assertThat(kafka).isSameAs(given).isSameAs(inner);
      }
    }

    @Nested
    @FakeKafka
    class WithOneForEachTest {
      @Test
      void hasItInTheFieldOfTheInstanceAround(FakeCluster given) {
        assertThat(kafka).isSameAs(given);
        SEEN.put("each", given);
      }
    }
  }

  /** The first test to end removed the cluster of the class from the other test's field. */
  @Test
  void testsAtTheSameTimeShareTheFieldWithTheClusterOfTheirClass() {
    assertSuccess(run(TWO_THREADS, AtOnceOfClass.class), 2);
  }

  /** An extension that is registered before {@link FakeKafka}, and so runs after it at the end of a test. */
  static final class TellsTheEnd implements AfterEachCallback {
    @Override
    public void afterEach(ExtensionContext context) throws Exception {
      if (context.getRequiredTestMethod().getName().equals("one")) {
        BOTH.await(30, TimeUnit.SECONDS);
      }
    }
  }

  @ExtendWith(TellsTheEnd.class)
  @FakeKafka(topics = "orders", lifetime = Lifetime.CLASS)
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  static class AtOnceOfClass {
    @Nullable
    FakeCluster kafka;

    @Test
    void one(FakeCluster given) throws Exception {
      BOTH.await(30, TimeUnit.SECONDS);
      assertThat(kafka).isSameAs(given);
    }

    @Test
    void two(FakeCluster given) throws Exception {
      BOTH.await(30, TimeUnit.SECONDS);
      BOTH.await(30, TimeUnit.SECONDS);
      assertThat(kafka).isSameAs(given);
    }
  }

  /** Both tests had the first cluster in the field, and lost it at the end of the first test. */
  @Test
  void testsAtTheSameTimeCannotHaveTheirClustersInOneField() {
    TestExecutionSummary summary = run(TWO_THREADS, AtOnce.class);
    assertThat(summary.getFailures()).hasSize(2).allSatisfy(failure -> assertThat(failure.getException())
        .hasMessageContaining("its tests run at the same time on one instance (PER_CLASS)")
        .hasMessageContaining("take a parameter of type FakeCluster instead of the field, or ask for lifetime"));
    assertSuccess(run(Map.of(), AtOnce.class), 2);
    assertSuccess(run(TWO_THREADS, AtOnceByParameters.class), 2);
    assertThat(seen("one")).isNotSameAs(seen("two"));
  }

  @FakeKafka(topics = "orders")
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  static class AtOnce {
    @Nullable
    FakeCluster kafka;

    @Test
    void one(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
    }

    @Test
    void two(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
    }
  }

  @FakeKafka(topics = "orders")
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  static class AtOnceByParameters {
    @Test
    void one(FakeCluster given) throws Exception {
      SEEN.put("one", given);
      BOTH.await(30, TimeUnit.SECONDS);
    }

    @Test
    void two(FakeCluster given) throws Exception {
      SEEN.put("two", given);
      BOTH.await(30, TimeUnit.SECONDS);
    }
  }

  /** The class that began second used the cluster of the first, and the end of a nested class emptied the field. */
  @Test
  void aStaticFieldThatTwoClassesInheritHoldsTheClusterOfOneOfThem() throws Exception {
    assertSuccess(run(Map.of(), FirstHeir.class, SecondHeir.class), 3);
    assertThat(seen("FirstHeir")).isNotSameAs(seen("SecondHeir"));
    Field field = Heritage.class.getDeclaredField("kafka");
    try (FakeCluster first = FakeCluster.start(); FakeCluster second = FakeCluster.start()) {
      ClusterFields.began(first);
      ClusterFields.began(second);
      ClusterFields ofFirst = new ClusterFields(first, Collections.emptySet());
      ofFirst.fill(FirstHeir.class, null);
      ClusterFields ofSecond = new ClusterFields(second, Collections.emptySet());
      assertThatThrownBy(() -> ofSecond.fill(SecondHeir.class, null)).hasMessageContaining(
          "it holds the cluster of a test that runs at the same time; take a parameter of type FakeCluster instead");
      ofSecond.restore();
      assertThat(field.get(null)).isSameAs(first);
      ofFirst.restore();
      assertThat(field.get(null)).isNull();
      ClusterFields.ended(first);
      ClusterFields.ended(second);
    }
  }

  abstract static class Heritage {
    static @Nullable FakeCluster kafka;

    @Test
    void hasIt(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
      SEEN.put(getClass().getSimpleName(), given);
    }

    @AfterAll
    static void end(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
    }
  }

  @FakeKafka(lifetime = Lifetime.CLASS)
  static class FirstHeir extends Heritage {
    @Nested
    class Within extends Heritage {}
  }

  @FakeKafka(lifetime = Lifetime.CLASS)
  static class SecondHeir extends Heritage {}

  /** The BeforeAll of a class with a cluster for each test received the cluster of the class around it. */
  @Test
  void aClusterForEachTestIsNotThereBeforeTheTestsAlsoInsideAClassWithOne() {
    TestExecutionSummary summary = run(Map.of(), Around.class);
    assertThat(summary.getFailures()).hasSize(1);
    assertThat(summary.getFailures().getFirst().getException()).hasMessageContaining("comes too early for it");
  }

  @FakeKafka(lifetime = Lifetime.CLASS)
  static class Around {
    @Nested
    @FakeKafka
    class Within {
      @BeforeAll
      static void begin(FakeCluster given) {
        SEEN.put("early", given);
      }

      @Test
      void isNotReached() {}
    }
  }
}
