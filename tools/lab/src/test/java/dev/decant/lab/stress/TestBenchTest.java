package dev.decant.lab.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.live.RunListener;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.ClusterException;
import dev.decant.testkit.TestCluster;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An interrupted run once named topics on brokers that the run had stopped itself. */
class TestBenchTest {
  private static final WorkSpec SPEC = new WorkSpec("decant", WorkKind.named("idle"), WorkSpec.Access.plain(""),
      WorkSpec.Topics.one(1),
      WorkSpec.Load.plain(100, 1),
      new WorkSpec.Amount(1, 1, 0, 0), Map.of(), Map.of());

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<String> told = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();

  @TempDir
  private Path logs = Path.of("");

  /** Returns a cluster that creates topics and is then unreachable. */
  private TestCluster gone() {
    return (TestCluster) Proxy.newProxyInstance(TestCluster.class.getClassLoader(), new Class<?>[] {TestCluster.class},
        (proxy, method, arguments) -> {
          asked.add(method.getName());
          if (method.getName().equals("bootstrap")) {
            return "127.0.0.1:1";
          }
          if (!method.getName().equals("createTopics")) {
            ChildJvm.start("a broker", List.of("-version"), logs.resolve("broker.log")).ask("anything", PATIENCE);
          }
          return null;
        });
  }

  private void fail(boolean endsWithTheRun) {
    RunListener listener = (RunListener) Proxy.newProxyInstance(RunListener.class.getClassLoader(),
        new Class<?>[] {RunListener.class}, (proxy, method, arguments) -> {
          if (method.getName().equals("onLine")) {
            told.add(String.valueOf(arguments[0]));
          }
          return null;
        });
    try (TestBench bench = new TestBench(ClusterAccess.of(gone(), WorkSpec.Access.plain("127.0.0.1:1")), endsWithTheRun,
        logs, listener, List.of())) {
      TestBench.Subject subject = new TestBench.Subject("mine", "decant", SPEC, List.of());
      assertThatThrownBy(() -> bench.atEmpty(subject)).isInstanceOf(ClusterException.class);
    }
  }

  @Test
  void topicsOfAClusterThatEndsWithTheRunAreNeitherDeletedNorNamed() {
    fail(true);

    assertThat(told).isEmpty();
    assertThat(asked).contains("createTopics").doesNotContain("deleteTopics");
  }

  @Test
  void topicsThatStayAtAClusterOfTheUserAreNamed() {
    fail(false);

    assertThat(asked).contains("deleteTopics");
    assertThat(told).singleElement().asString().contains("the topic decant-stress-", "is left at 127.0.0.1:1");
  }
}
