package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that the lab has not started: what it leaves there, and what it says when it may not use it. */
@Tag("full")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BootstrapTest {
  private static final String SENDING = """
      title = A few records, each waited for
      clients = decant
      work = send-and-wait
      turns = 1
      partitions = 1
      producer.linger.ms = 0
      records = 20
      warm-up = 4
      """;
  private static final AclBinding DESCRIBE_ONLY = new AclBinding(
      new ResourcePattern(ResourceType.TOPIC, "*", PatternType.LITERAL), allowed(AclOperation.DESCRIBE));
  /** What a broker itself must still be allowed to do, and this test to take the rules away again. */
  private static final List<AclBinding> NO_CREATION = List.of(DESCRIBE_ONLY, ofCluster(AclOperation.CLUSTER_ACTION),
      ofCluster(AclOperation.ALTER), ofCluster(AclOperation.DESCRIBE));

  private static KafkaCluster cluster;
  private static Admin admin;

  @TempDir
  private Path directory = Path.of("");

  private final CommandLines lines = new CommandLines();

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.builder()
        .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
        .setting("allow.everyone.if.no.acl.found", "true").start();
    admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
  }

  @AfterAll
  static void stop() {
    admin.close();
    cluster.close();
  }

  private static AccessControlEntry allowed(AclOperation operation) {
    return new AccessControlEntry("User:ANONYMOUS", "*", operation, AclPermissionType.ALLOW);
  }

  private static AclBinding ofCluster(AclOperation operation) {
    return new AclBinding(new ResourcePattern(ResourceType.CLUSTER, "kafka-cluster", PatternType.LITERAL),
        allowed(operation));
  }

  private String[] stress(String scenario) throws IOException {
    Path file = Files.writeString(directory.resolve("mine.scenario"), scenario);
    return new String[] {"stress", "--bootstrap", cluster.bootstrap(), "--scenario-file", file.toString(), "--out",
        directory.resolve("result").toString()};
  }

  /** A broker learns a moment later than the controller that a topic is gone; to ask one is no busy wait. */
  private static List<String> topicsLeft() throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    List<String> left;
    do {
      left = admin.listTopics().names().get(60, TimeUnit.SECONDS).stream().filter(name -> name.startsWith("decant-"))
          .toList();
    } while (!left.isEmpty() && System.nanoTime() - deadline < 0);
    return left;
  }

  @Test
  void aRunLeavesNoTopicBehind() throws Exception {
    assertThat(lines.run(stress(SENDING))).as(lines.err()).isZero();

    assertThat(lines.out()).contains("all 20");
    assertThat(topicsLeft()).isEmpty();
  }

  @Test
  void aRunThatFailsLeavesNoTopicBehind() throws Exception {
    assertThat(lines.run(stress(SENDING + "producer.colour = red\n"))).isEqualTo(Decant.FAILURE);

    assertThat(lines.err()).contains("colour");
    assertThat(topicsLeft()).isEmpty();
  }

  @Test
  void aRunThatIsInterruptedLeavesNoTopicBehind() throws Exception {
    String[] stress = stress(SENDING);
    String[] command = List.of(stress[0], stress[1], stress[2], stress[3], stress[4], stress[5], stress[6], "--rounds",
        "500").toArray(String[]::new);
    try (CommandInAJvm running = new CommandInAJvm(directory, command)) {
      running.await("records/s");
      List<ProcessHandle> children = running.children();

      assertThat(running.interrupt()).as(running.told()).isEqualTo(Decant.INTERRUPTED);

      assertThat(children).noneMatch(ProcessHandle::isAlive);
      assertThat(running.told()).doesNotContain("is left at");
      assertThat(running.leftBehind()).isEmpty();
    }
    assertThat(topicsLeft()).isEmpty();
  }

  @Test
  void aClusterThatDoesNotLetTopicsBeCreatedIsOneLineThatSaysWhatToDo() throws Exception {
    admin.createAcls(NO_CREATION).all().get(60, TimeUnit.SECONDS);
    try {
      assertThat(lines.run(stress(SENDING))).isEqualTo(Decant.USAGE);

      assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
          .contains(cluster.bootstrap(), "the topic decant-stress-", "TOPIC_AUTHORIZATION_FAILED",
              "give who connects (User:ANONYMOUS without credentials)", "topics with the prefix decant-stress-,");
      assertThat(lines.err()).doesNotContain("Exception", "\tat ");
      assertThat(lines.out()).isEmpty();
      assertThat(directory.resolve("result").resolve("result.json")).doesNotExist();
    } finally {
      admin.deleteAcls(Set.of(AclBindingFilter.ANY)).all().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClusterThatIsTooSmallForTheScenarioIsOneLine() throws Exception {
    assertThat(lines.run(stress(SENDING + "brokers = 3\n"))).isEqualTo(Decant.USAGE);

    assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains(cluster.bootstrap(), "has 1 broker(s)", "3 are wanted", "--brokers");
  }
}
