package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.scenario.ScenarioCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the clients of all columns do their work on encrypted connections to a real broker, for moments and
 * without regard to speed.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class TlsScenariosTest {
  private final CommandLines lines = new CommandLines();

  /** Writes the lab's own file with as little work as shows that the clients run. */
  private static String small(Path directory, String name) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String line : ScenarioCatalog.named(name).text().lines().toList()) {
      String key = line.split(" ", 2)[0];
      text.append(switch (key) {
        case "records", "records.quick" -> key + " = 4000";
        case "warm-up", "warm-up.quick", "topic.records" -> key + " = 2000";
        case "threads" -> key + " = 2";
        case "turns.quick" -> key + " = 1";
        case "bar" -> line.contains("connections") ? line : "";
        default -> line;
      }).append('\n');
    }
    String all = text.toString();
    return Files.writeString(directory.resolve(name + ".scenario"),
        name.equals("connect-storm") ? all.replace("= 4000", "= 12").replace("= 2000", "= 4") : all).toString();
  }

  @Tag("full")
  @Test
  void allColumnsDoTheirWorkWithTheSameVersionAndCipherSuite(@TempDir Path directory) throws IOException {
    String[] command = {"stress", "--quick", "--assert", "--jvm-arg", "-XX:TieredStopAtLevel=1", "--out",
        directory.toString(), "--scenario-file", small(directory, "produce-tls"), "--scenario-file",
        small(directory, "consume-tls"), "--scenario-file",
        small(directory, "connect-storm")};

    assertThat(lines.run(command)).as(lines.err()).isZero();

    assertThat(lines.out()).contains("TLS: TLSv1.3 with TLS_AES_256_GCM_SHA384, the same for all clients");
    JsonNode result = new ObjectMapper().readTree(directory.resolve("result.json").toFile());
    assertThat(result.get("cluster").asText()).contains("TLSv1.3 with TLS_AES_256_GCM_SHA384");
    for (JsonNode scenario : result.get("scenarios")) {
      assertThat(scenario.get("clients")).extracting(client -> client.get("client").asText())
          .containsExactly("decant", "kafka-clients", "bare-sslengine");
      assertThat(scenario.get("samples")).hasSize(3)
          .allSatisfy(sample -> assertThat(sample.get("delivered")).isEqualTo(sample.get("expected")));
    }
  }

  @Test
  void theGroupOfEncryptedScenariosHasAllThree() {
    assertThat(ScenarioCatalog.resolve(List.of("tls-all"))).extracting(scenario -> scenario.name())
        .containsExactly("produce-tls", "consume-tls", "connect-storm");
  }

  @Test
  void aGivenClusterWithoutAClientConfigIsRefusedWhereAScenarioWantsTls() {
    assertThat(lines.run("stress", "--scenario", "tls-all", "--bootstrap", "localhost:1")).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).contains("a scenario wants TLS: give a --client-config").hasLineCount(1);
  }
}
