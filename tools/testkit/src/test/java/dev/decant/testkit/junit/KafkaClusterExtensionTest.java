package dev.decant.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.ClusterException;
import dev.decant.testkit.KafkaCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs test classes as JUnit does for a user, and checks their parameters. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class KafkaClusterExtensionTest {
  /** The values that the test classes below have seen, by name. */
  private static final Map<String, Object> SEEN = new HashMap<>();

  private static TestExecutionSummary run(Class<?>... classes) {
    SEEN.clear();
    LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
        .selectors(Stream.of(classes).map(type -> (DiscoverySelector) selectClass(type)).toList())
        .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "false").build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Launcher launcher = LauncherFactory.create(LauncherConfig.builder()
        .enableLauncherSessionListenerAutoRegistration(false).enableTestExecutionListenerAutoRegistration(false)
        .build());
    launcher.execute(request, listener);
    return listener.getSummary();
  }

  private static boolean isAlive(String seen) {
    return ProcessHandle.of(seen(seen, Long.class)).map(ProcessHandle::isAlive).orElse(false);
  }

  private static <T> T seen(String name, Class<T> type) {
    return type.cast(Objects.requireNonNull(SEEN.get(name), name));
  }

  @Test
  void classesShareOneBrokerThatEndsWithTheRun() {
    TestExecutionSummary summary = run(SharedByAnnotation.class, SharedByField.class);

    assertThat(summary.getFailures()).isEmpty();
    assertThat(summary.getTestsSucceededCount()).isEqualTo(4);
    assertThat(seen("annotation.pid", Long.class)).isEqualTo(seen("field.pid", Long.class));
    assertThat(SEEN.get("annotation.topic")).isNotEqualTo(SEEN.get("field.topic"));
    assertThat(seen("nested.client", KafkaClient.class)).isSameAs(SEEN.get("annotation.client"));
    assertThat(SEEN.get("annotation.open after the class")).isEqualTo(true);
    assertThat(seen("annotation.client", KafkaClient.class).status().open()).isFalse();
    assertThat(isAlive("annotation.pid")).isFalse();
  }

  @ExtendWith(KafkaClusterExtension.class)
  static class SharedByAnnotation {
    @BeforeAll
    static void begin(KafkaCluster cluster) {
      SEEN.put("annotation.topic", cluster.createTopic(2));
      SEEN.put("annotation.pid", cluster.node(1).pid());
    }

    @Test
    void sendsWithTheClientThatItIsGiven(KafkaClient client, KafkaCluster cluster) throws InterruptedException {
      SEEN.put("annotation.client", client);
      String topic = seen("annotation.topic", String.class);
      try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(topic).open()) {
        Ack ack = producer.sendAndWait("key", "value");
        assertThat(cluster.endOffsets(topic)[ack.partition()]).isEqualTo(ack.offset() + 1);
      }
    }

    @Nested
    class Within {
      @Test
      void hasTheClientOfTheClassAround(KafkaClient client) {
        SEEN.put("nested.client", client);
      }
    }

    @AfterAll
    static void end(KafkaClient client) {
      SEEN.put("annotation.open after the class", client.status().open());
    }
  }

  static class SharedByField {
    @RegisterExtension
    static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

    @Test
    void hasItsAddress(KafkaCluster cluster) {
      assertThat(KAFKA.bootstrap()).isEqualTo(cluster.bootstrap());
      SEEN.put("field.pid", cluster.node(1).pid());
    }

    @Test
    void createsTopics() {
      SEEN.put("field.topic", KAFKA.createTopic(3));
      KAFKA.createTopic("orders", 1);
      assertThat(KAFKA.cluster().endOffsets("orders")).containsExactly(0);
    }
  }

  @Tag("full")
  @Test
  void aClusterOfTheClassIsAsDescribedAndEndsWithTheClass() {
    TestExecutionSummary summary = run(Own.class);

    assertThat(summary.getFailures()).isEmpty();
    assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    assertThat(isAlive("own.pid")).isFalse();
  }

  static class Own {
    @RegisterExtension
    static final KafkaClusterExtension KAFKA = KafkaClusterExtension
        .of(KafkaCluster.builder().faultProxies(1).timeout(Duration.ofMinutes(3)));

    @Test
    void hasWhatWasAskedFor(KafkaCluster cluster) {
      assertThat(cluster).isSameAs(KAFKA.cluster());
      assertThat(cluster.bootstrap()).endsWith(":" + cluster.proxy(1).port());
      SEEN.put("own.pid", cluster.node(1).pid());
    }
  }

  @Test
  void aFieldThatIsNotStaticIsRefusedWithACure() {
    TestExecutionSummary summary = run(OfAnInstance.class);

    assertThat(summary.getFailures()).hasSize(1).first().extracting(TestExecutionSummary.Failure::getException)
        .isInstanceOf(ExtensionConfigurationException.class).asString()
        .contains("OfAnInstance that is not static; make it static");
  }

  static class OfAnInstance {
    @RegisterExtension
    final KafkaClusterExtension kafka = KafkaClusterExtension.shared();

    @Test
    void isNotReached(@Nullable KafkaClient client) {
      assertThat(client).isNotNull();
    }
  }

  /** If a broker could not start, each class of a run waited for three minutes. */
  @Test
  void aSharedClusterThatDoesNotStartIsNotTriedAgain() {
    String temporary = System.getProperty("java.io.tmpdir");
    System.setProperty("java.io.tmpdir", Path.of(temporary, "no", "such", "directory").toString());
    try {
      List<TestExecutionSummary.Failure> failures = run(SharedByField.class, SharedByAnnotation.class).getFailures();

      assertThat(failures).hasSize(2);
      assertThat(failures.getFirst().getException()).isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("no temporary directory for the brokers in ")
          .hasMessageEndingWith("; name another place with -Djava.io.tmpdir=PATH");
      assertThat(failures.getLast().getException()).isSameAs(failures.getFirst().getException());
    } finally {
      System.setProperty("java.io.tmpdir", temporary);
    }
  }

  @Test
  void aClusterThatIsAskedForTooEarlySaysWhen() {
    assertThatThrownBy(KafkaClusterExtension.shared()::bootstrap).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ask for it in @BeforeAll or later");
  }
}
