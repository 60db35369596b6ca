package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Operation;
import dev.decant.fake.Resource;
import dev.decant.fake.junit.FakeKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests runs on a cluster that the lab has not started: nothing of a run stays there, and a missing right is one line.
 */
@Tag("full")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@FakeKafka
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
  private static final String ANYBODY = "User:ANONYMOUS";

  private FakeCluster cluster;
  private Admin admin;

  @TempDir
  private Path directory = Path.of("");

  private final CommandLines lines = new CommandLines();

  @BeforeEach
  void connect(FakeCluster kafka) {
    cluster = kafka;
    admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
  }

  @AfterEach
  void disconnect() {
    admin.close();
  }

  private String[] stress(String scenario) throws IOException {
    Path file = Files.writeString(directory.resolve("mine.scenario"), scenario);
    return new String[] {"stress", "--bootstrap", cluster.bootstrap(), "--scenario-file", file.toString(), "--out",
        directory.resolve("result").toString()};
  }

  private List<String> topicsLeft() throws Exception {
    return admin.listTopics().names().get(60, TimeUnit.SECONDS).stream().filter(name -> name.startsWith("decant-"))
        .toList();
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

      assertThat(running.interrupt()).as(running.outputSoFar()).isEqualTo(Decant.INTERRUPTED);

      assertThat(children).noneMatch(ProcessHandle::isAlive);
      assertThat(running.outputSoFar()).doesNotContain("is left at");
      assertThat(running.leftBehind()).isEmpty();
    }
    assertThat(topicsLeft()).isEmpty();
  }

  @Test
  void aClusterThatDoesNotLetTopicsBeCreatedIsOneLineThatSaysWhatToDo() throws IOException {
    cluster.security().allow(ANYBODY, Resource.anyTopic(), Operation.DESCRIBE);
    cluster.security().allow(ANYBODY, Resource.cluster(), Operation.DESCRIBE);

    assertThat(lines.run(stress(SENDING))).isEqualTo(Decant.USAGE);

    assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains(cluster.bootstrap(), "the topic decant-stress-", "TOPIC_AUTHORIZATION_FAILED",
            "give who connects (User:ANONYMOUS without credentials)", "topics with the prefix decant-stress-,");
    assertThat(lines.err()).doesNotContain("Exception", "\tat ");
    assertThat(lines.out()).isEmpty();
    assertThat(directory.resolve("result").resolve("result.json")).doesNotExist();
  }

  @Test
  void aClusterThatIsTooSmallForTheScenarioIsOneLine() throws Exception {
    assertThat(lines.run(stress(SENDING + "brokers = 3\n"))).isEqualTo(Decant.USAGE);

    assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains(cluster.bootstrap(), "has 1 broker(s)", "3 are wanted", "--brokers");
  }
}
