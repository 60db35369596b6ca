package dev.decant.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Apache's own tests of its clients on fake clusters in place of Kafka's brokers, with Apache's clients or those of
 * {@code -Ddecant.replay.clients}. {@code fake.tsv} and {@code fake-decant.tsv} have what fails, and why.
 * {@code -Ddecant.replay.only} is an expression for what is to be found in {@code CLASS#METHOD}.
 */
@Tag("long")
class LongFakeReplayTest {
  private static final int METHODS_PER_JVM = 40;
  private static final Path DIRECTORY = Path.of("target/replay/fake");

  private static Map<TestMethod, String> wanted() {
    Pattern only = Pattern.compile(System.getProperty("decant.replay.only", ""));
    Map<String, String> others = Lists.notOnFake();
    Map<TestMethod, String> wanted = new LinkedHashMap<>();
    Lists.methods().forEach((method, area) -> {
      if (!others.containsKey(method.className()) && only.matcher(method.line()).find()) {
        wanted.put(method, area);
      }
    });
    return wanted;
  }

  @Test
  void apachesTestsPassOnFakeClustersOrFailForAReason() throws IOException, InterruptedException {
    Map<TestMethod, String> wanted = wanted();
    assertThat(wanted).as("methods like -Ddecant.replay.only").isNotEmpty();
    boolean isOfApache = System.getProperty("decant.replay.clients") == null;
    Map<TestMethod, String> reasons = new LinkedHashMap<>(Lists.failuresOnFake());
    if (!isOfApache) {
      reasons.putAll(Lists.exceptions());
      reasons.putAll(Lists.failuresOfDecantOnFake());
    }
    Replay replay = new Replay(isOfApache ? Clients.APACHE : Clients.chosen(), DIRECTORY,
        Integer.getInteger("decant.replay.jvms", 2), METHODS_PER_JVM).onFake().methodLimit(Duration.ofSeconds(100));
    Results results = replay.run(new ArrayList<>(wanted.keySet()));
    List<TestMethod> failed = results.rows().stream().filter(row -> row.outcome() == Row.Outcome.FAILED)
        .map(Row::method).filter(wanted::containsKey).filter(method -> !reasons.containsKey(method)).distinct()
        .toList();
    replay.again(failed, results);

    Files.write(DIRECTORY.resolve("results.tsv"), results.rows().stream().map(Row::line).toList());
    Verdict verdict = Verdict.of(results, wanted.keySet(), reasons, Map.of());
    String table = ResultTable.of(results, wanted) + "once more, alone: " + failed + "\n" + String.join("\n",
        verdict.remarks()) + "\n";
    Files.writeString(DIRECTORY.resolve("table.txt"), table);
    System.out.println(table);
    assertThat(verdict.problems()).isEmpty();
  }
}
