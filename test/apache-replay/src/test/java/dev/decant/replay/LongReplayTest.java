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
 * All of Apache's own tests of producers, consumers, transactions, TLS and SASL with Decant's clients, or with those of
 * {@code -Ddecant.replay.clients}: half an hour or more. {@code -Ddecant.replay.only} is an expression for what is to
 * be found in {@code CLASS#METHOD}. A method that fails runs once more, alone: Apache's tests assert durations too.
 */
@Tag("long")
class LongReplayTest {
  private static final int METHODS_PER_JVM = 20;
  private static final Path DIRECTORY = Path.of("target/replay/long");

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
  void everyMethodPassesOrIsAnExceptionWithAReason() throws IOException, InterruptedException {
    Map<TestMethod, String> wanted = wanted();
    assertThat(wanted).as("methods with %s", System.getProperty("decant.replay.only")).isNotEmpty();
    Replay replay = new Replay(Clients.chosen(), DIRECTORY, Integer.getInteger("decant.replay.jvms", 2),
        METHODS_PER_JVM).methodLimit(Duration.ofSeconds(150));
    Results results = replay.run(new ArrayList<>(wanted.keySet()));
    List<TestMethod> failed = results.rows().stream().filter(row -> row.outcome() == Row.Outcome.FAILED)
        .map(Row::method).filter(wanted::containsKey).filter(method -> !Lists.exceptions().containsKey(method))
        .distinct().toList();
    replay.again(failed, results);

    Files.write(DIRECTORY.resolve("results.tsv"), results.rows().stream().map(Row::line).toList());
    Verdict verdict = Verdict.of(results, wanted.keySet(), Lists.exceptions(), Lists.baseline());
    String table = ResultTable.of(results, wanted) + "once more, alone: " + failed + "\n" + String.join("\n",
        verdict.remarks()) + "\n";
    Files.writeString(DIRECTORY.resolve("table.txt"), table);
    System.out.println(table);
    assertThat(verdict.problems()).isEmpty();
  }
}
