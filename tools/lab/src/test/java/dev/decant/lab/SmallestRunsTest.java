package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the shortest way through the lab in every build: one client on a real broker, and one FIX engine. The other
 * end-to-end tests of the lab start many JVMs and belong to {@code -Pfull}.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class SmallestRunsTest {
  private static final String SENDING = """
      title = A few records, each waited for
      clients = decant
      work = send-and-wait
      turns = 1
      partitions = 1
      producer.linger.ms = 0
      records = 20
      warm-up = 4
      bar = records_per_s >= 0.1
      """;
  private static final String FIRST_COMPILER = "-XX:TieredStopAtLevel=1";

  @TempDir
  private Path directory = Path.of("");

  private final CommandLines lines = new CommandLines();

  @Test
  void oneClientSendsToARealBrokerAndItsResultIsWritten() throws IOException {
    Path scenario = Files.writeString(directory.resolve("sending.scenario"), SENDING);

    int code = lines.run("stress", "--quick", "--assert", "--jvm-arg", FIRST_COMPILER, "--scenario-file",
        scenario.toString(), "--out", directory.toString());

    assertThat(code).as(lines.err()).isZero();
    assertThat(lines.out()).contains("sending: A few records", "all 20");
    JsonNode result = new ObjectMapper().readTree(directory.resolve("result.json").toFile()).get("scenarios").get(0);
    assertThat(result.get("samples")).hasSize(1);
    assertThat(result.get("clients").get(0).get("metrics").get("wait_waste_p99_us").asDouble()).isPositive();
    assertThat(result.get("bars").get(0).get("verdict").asText()).isEqualTo("met");
    assertThat(directory.resolve("report.html")).exists();
  }

  @Test
  void oneFixEngineSendsOrdersThereAndBack() {
    int code = lines.run("fix", "--quick", "--messages", "300", "--modes", "two-cpus-blocking", "--work", "round-trips",
        "--engines", "decant", "--store", "memory", "--jvm-arg", FIRST_COMPILER, "--out", directory.toString());

    assertThat(code).as(lines.err()).isZero();
    assertThat(lines.out()).contains("round-trips, two CPUs, blocking", "decant-memory", "allocated_bytes");
    assertThat(directory.resolve("result.json")).content().contains("allocated_bytes");
  }
}
