package dev.decant.kafka.clientmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that docs/observing.md has a row for each metric that can be pushed, and no other. */
class PushedMetricsPageTest {
  @Test
  void pageNamesEveryMetric() throws IOException {
    List<String> lines = Files.readString(Path.of("../../docs/observing.md")).lines().toList();
    int head = lines.indexOf("| metric, after the prefix `org.apache.kafka.` | kind | value |");
    assertThat(head).isPositive();
    List<String> rows = lines.stream().skip(head + 2L).takeWhile(line -> line.startsWith("| `"))
        .map(line -> "org.apache.kafka." + line.substring(3, line.indexOf('`', 3))).toList();
    assertThat(rows).containsExactlyElementsOf(Arrays.stream(PushedMetric.values()).map(PushedMetric::fullName)
        .toList());
  }
}
