package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that real clients, each in its own JVM, do their work on a fake broker, for moments and without regard to
 * speed. Nothing is compared, so each client has one turn unless the test counts samples.
 */
@Tag("full")
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@FakeKafka
class ScenarioEndToEndTest {
  private static final String SENDING = """
      title = A few records, each waited for
      clients = decant, kafka-clients
      work = send-and-wait
      partitions = 1
      record.size = 100
      producer.linger.ms = 0
      records = 300
      warm-up = 4
      bar = records_per_s >= 0.1
      bar = wait_waste_p50_us <= 0
      """;
  private static final String UNKNOWN = """
      title = A setting that no producer has
      clients = decant
      work = produce
      records = 1
      producer.colour = red
      """;
  private static final String TRANSACTIONS = """
      title = A few transactions
      turns = 1
      clients = decant, kafka-clients
      work = transact
      partitions = 2
      transaction.records = 10
      records = 30
      warm-up = 20
      bar = transactions_per_s >= 0.01
      """;
  private static final String READING = """
      title = A small topic, read twice
      turns = 1
      clients = decant
      work = consume
      partitions = 2
      topic.records = 200
      records = 400
      warm-up = 8
      consumer.max.poll.records = 5
      bar = records_per_poll <= 5
      bar = informational records_per_poll <= 0
      """;

  private static final String BOTH_WAYS = """
      title = A few records, sent and read back
      turns = 1
      clients = decant, kafka-clients, kafka-clients-polled
      work = there-and-back
      work @ kafka-clients-polled = send-and-wait
      wait.poll.ms @ kafka-clients-polled = 1
      partitions = 2
      records = 500
      warm-up = 8
      bar = kafka-clients.consume_caller_bytes >= 2 * decant.consume_caller_bytes
      """;

  private static final String TO_TOPICS = """
      title = A few records to three topics
      turns = 1
      clients = decant, kafka-clients, decant-one-topic
      work = produce
      topics = 3
      topics @ decant-one-topic = 1
      partitions = 2
      records = 300
      warm-up = 4
      bar = records_per_s <= 1000000 of decant-one-topic
      """;
  private static final String OF_TOPICS = """
      title = Three small topics, read twice
      turns = 1
      clients = decant, kafka-clients, decant-one-topic
      work = consume
      topics = 3
      topics @ decant-one-topic = 1
      partitions = 2
      consumer.group.protocol = consumer
      topic.records = 300
      records = 600
      warm-up = 8
      bar = records_per_s <= 1000000 of decant-one-topic
      """;

  private static final String HANDLERS = """
      title = A few records, for handlers
      turns = 1
      clients = decant, parallel-consumer, spring-kafka, kafka-clients, jdk-threads
      work = work-key
      work @ jdk-threads = handlers
      keys = 20
      threads = 4
      threads @ spring-kafka = 2
      handler.ms = 1
      partitions = 2
      topic.records = 300
      records = 100
      warm-up = 8
      bar = misordered_records <= 0
      bar = parallel-consumer.misordered_records <= 0
      bar = records_per_s <= 1000000 of jdk-threads
      """;

  private final CommandLines lines = new CommandLines();

  /** Runs the command with JVMs that compile at the first level only: they end before the second compiler pays. */
  private static String[] stress(FakeCluster kafka, String... arguments) {
    return Stream.concat(
        Stream.of("stress", "--quick", "--bootstrap", kafka.bootstrap(), "--jvm-arg", "-XX:TieredStopAtLevel=1"),
        Arrays.stream(arguments)).toArray(String[]::new);
  }

  @Test
  void eachScenarioIsMeasuredOrSaysWhyNot(FakeCluster kafka, @TempDir Path directory) throws IOException {
    String[] command = stress(kafka, "--assert", "--out", directory.toString(), "--scenario-file",
        file(directory, "unknown", UNKNOWN), "--scenario-file", file(directory, "sending", SENDING), "--scenario-file",
        file(directory, "reading", READING), "--scenario-file", file(directory, "both-ways", BOTH_WAYS),
        "--scenario-file", file(directory, "transactions", TRANSACTIONS));

    assertThat(lines.run(command)).isEqualTo(Decant.FAILURE);

    assertThat(lines.err()).contains("decant: unknown: ", "colour: unknown to Kafka's clients");
    JsonNode scenarios = new ObjectMapper().readTree(directory.resolve("result.json").toFile()).get("scenarios");
    assertThat(scenarios.get(0).get("failure").asText()).contains("colour");
    JsonNode sending = scenarios.get(1);
    assertThat(sending.get("samples")).hasSize(4);
    assertThat(sending.get("clients").get(0).get("delivered").asLong()).isEqualTo(600);
    assertThat(sending.get("clients").get(1).get("delivered").asLong()).isEqualTo(600);
    assertThat(sending.get("clients").get(0).get("metrics").get("wait_waste_p99_us").asDouble()).isPositive();
    assertThat(sending.get("bars").get(0).get("verdict").asText()).isEqualTo("met");
    assertThat(sending.get("bars").get(1).get("verdict").asText()).isEqualTo("not met");
    assertThat(scenarios.get(2).get("clients").get(0).get("metrics").get("records_per_poll").asDouble())
        .isBetween(1.0, 5.0);
    JsonNode both = scenarios.get(3);
    assertThat(both.get("failure").asText()).isEmpty();
    assertThat(both.get("clients").get(1).get("metrics").get("produce_caller_bytes").asDouble()).isPositive();
    assertThat(both.get("clients").get(2).get("metrics").get("wait_waste_p50_us").asDouble()).isPositive();
    assertThat(both.get("clients").get(2).get("metrics").get("young_collections").asInt()).isNotNegative();
    JsonNode transactions = scenarios.get(4);
    assertThat(transactions.get("clients").get(0).get("delivered").asLong()).as("without markers").isEqualTo(30);
    assertThat(transactions.get("clients").get(1).get("delivered").asLong()).isEqualTo(30);
    assertThat(transactions.get("bars").get(0).get("verdict").asText()).isEqualTo("met");
    assertThat(lines.out()).contains("sending: A few records", "all 600");
    assertThat(directory.resolve("report.html")).exists();
  }

  @Test
  void aRunFailsForABarThatItMissesButNotForAnInformationalOne(FakeCluster kafka, @TempDir Path directory)
      throws IOException {
    String[] command = stress(kafka, "--assert", "--out", directory.toString(), "--scenario-file",
        file(directory, "reading", READING));
    assertThat(lines.run(command)).as(lines.err()).isZero();
    assertThat(lines.err()).doesNotContain("decant: ");
    assertThat(lines.out()).contains("not met       informational records_per_poll <= 0");

    command[command.length - 1] = file(directory, "missed", READING.replace("informational ", ""));
    assertThat(lines.run(command)).isEqualTo(1);
    assertThat(lines.err()).contains("decant: missed: not met       records_per_poll <= 0");
  }

  @Test
  void severalTopicsAreWrittenAndReadInTurnsBesideOne(FakeCluster kafka, @TempDir Path directory) throws IOException {
    String[] command = stress(kafka, "--out", directory.toString(), "--scenario-file",
        file(directory, "to-topics", TO_TOPICS), "--scenario-file", file(directory, "of-topics", OF_TOPICS));

    assertThat(lines.run(command)).as(lines.err()).isZero();

    JsonNode scenarios = new ObjectMapper().readTree(directory.resolve("result.json").toFile()).get("scenarios");
    for (JsonNode scenario : scenarios) {
      assertThat(scenario.get("failure").asText()).isEmpty();
      assertThat(scenario.get("samples")).hasSize(3);
      assertThat(scenario.get("clients")).hasSize(3).allSatisfy(client -> assertThat(client.get("delivered").asLong())
          .isEqualTo(client.get("expected").asLong()).isGreaterThanOrEqualTo(300));
    }
    assertThat(scenarios.get(0).get("clients").get(1).get("delivered").asLong()).isEqualTo(300);
  }

  @Test
  void eachRuntimeCallsHandlersInAJvmOfItsOwn(FakeCluster kafka, @TempDir Path directory) throws IOException {
    String[] command = stress(kafka, "--assert", "--out", directory.toString(), "--scenario-file",
        file(directory, "handlers", HANDLERS));

    assertThat(lines.run(command)).as(lines.err()).isZero();

    JsonNode scenario = new ObjectMapper().readTree(directory.resolve("result.json").toFile()).get("scenarios").get(0);
    assertThat(scenario.get("clients")).hasSize(5).allSatisfy(client -> assertThat(client.get("delivered").asLong())
        .isEqualTo(client.get("expected").asLong()).isGreaterThanOrEqualTo(100));
  }

  private static String file(Path directory, String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name + ".scenario"), text).toString();
  }

  @Test
  void aClientComparedWithItselfGetsAConclusionForEachMetric(FakeCluster kafka, @TempDir Path directory)
      throws IOException {
    String[] command = {"compare", "decant", "decant,jvm=-XX:+UseSerialGC", "--bootstrap", kafka.bootstrap(),
        "--rounds", "1", "--jvm-arg", "-XX:TieredStopAtLevel=1", "--out", directory.toString(), "--metrics",
        "records_per_s,p50_us", "--scenario-file", file(directory, "sending", SENDING)};

    assertThat(lines.run(command)).as(lines.err()).isZero();

    JsonNode root = new ObjectMapper().readTree(directory.resolve("result.json").toFile());
    assertThat(root.get("comparisons")).hasSize(2);
    assertThat(root.get("comparisons").get(0).get("conclusion").asText()).isNotEmpty();
    assertThat(root.get("scenarios").get(0).get("samples")).hasSize(4);
    assertThat(lines.out()).contains("A: decant\n", "B: decant,jvm=-XX:+UseSerialGC, the control");
  }
}
