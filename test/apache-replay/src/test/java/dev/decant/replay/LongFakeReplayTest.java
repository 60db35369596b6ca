package dev.decant.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Apache's own tests of its clients on fake clusters instead of Kafka's brokers.
 */
@Tag("long")
class LongFakeReplayTest {
  private static final int METHODS_PER_JVM = 40;
  private static final Path DIRECTORY = Path.of("target/replay/fake");

  private static Map<TestMethod, String> wanted() {
    Pattern only = Pattern.compile(System.getProperty("decant.replay.only", ""));
    Map<TestMethod, String> wanted = new LinkedHashMap<>();
    Lists.methods().forEach((method, area) -> {
      if (only.matcher(method.line()).find()) {
        wanted.put(method, area);
      }
    });
    return wanted;
  }

  @Test
  void apachesTestsPassOnFakeClusters() throws IOException, InterruptedException {
    Map<TestMethod, String> wanted = wanted();
    assertThat(wanted).isNotEmpty();
    Clients clients = System.getProperty("decant.replay.clients") == null ? Clients.APACHE : Clients.chosen();
    Replay replay = new Replay(clients, DIRECTORY, Integer.getInteger("decant.replay.jvms", 2), METHODS_PER_JVM)
        .onFake().methodLimit(Duration.ofSeconds(100));
    Results results = replay.run(new ArrayList<>(wanted.keySet()));
    Files.write(DIRECTORY.resolve("results.tsv"), results.rows().stream().map(Row::line).toList());
    String table = ResultTable.of(results, wanted);
    Files.writeString(DIRECTORY.resolve("table.txt"), table);
    System.out.println(table);
  }
}
