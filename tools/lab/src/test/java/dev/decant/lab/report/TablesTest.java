package dev.decant.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.compare.Comparison;
import dev.decant.lab.driver.AllocationSite;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.jvm.FakeJava;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.scenario.ScenarioRun;
import dev.decant.lab.stress.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TablesTest {
  private static final Scenario SCENARIO = ScenarioCatalog.made("mine", """
      title = T
      clients = decant, kafka-clients
      work = produce
      records = 1000
      """);

  private static Sample sample(String client, List<Long> rates, Map<String, Double> more) {
    Map<String, Double> figures = new HashMap<>(more);
    figures.put("young_collections", client.equals("decant") ? 0.0 : 8.0);
    Measured measured = new Measured(1000, 7, 0.5, client.equals("decant") ? 1 : 4, 0, 3L << 20, 1, 2,
        Collections.nCopies(Measured.PERCENTILES.size(), 12.0), rates, 100, figures);
    return new Sample("mine", 100, client, 1000, 1000, measured);
  }

  private static Outcome outcome(Map<String, Double> figures) {
    return new Outcome(SCENARIO, List.of(sample("decant", List.of(90L, 110L, 90L, 110L, 100L), figures),
        sample("kafka-clients", List.of(1L), figures)), "");
  }

  @Test
  void collectorsAreComparedLineByLineAndTwoOfThemWithWhatIsGained() {
    String table = GcTable.of(outcome(Map.of()), "kafka-clients", "decant");

    assertThat(table.lines().filter(line -> line.startsWith("decant "))).singleElement().asString()
        .contains("2,000", "10.0", "1,000.000", "3.0", "12.0");
    assertThat(table.lines().filter(line -> line.startsWith("cpu_us_per_record"))).singleElement().asString()
        .endsWith("+75.0 %");
    assertThat(table.lines().filter(line -> line.startsWith("young_collections"))).singleElement().asString()
        .endsWith("+100.0 %");
    assertThat(table).doesNotContain("NaN");
  }

  @Test
  void moreThroughputIsAGainAndNothingIsSaidOfWhatWasNothing() {
    assertThat(GcTable.improvement(Metric.RECORDS_PER_S, 100, 150)).isEqualTo("+50.0 %");
    assertThat(GcTable.improvement(Metric.P50_US, 100, 150)).isEqualTo("-50.0 %");
    assertThat(GcTable.improvement(Metric.PAUSE_MS, 0, 0)).isEmpty();
    assertThat(GcTable.improvement(Metric.PAUSE_MS, Double.NaN, 1)).isEmpty();
  }

  @Test
  void jvmOfEachClientIsShownWhereOneRunsOnAnother(@TempDir Path home) throws IOException {
    Path program = FakeJava.write(home, "99.0.1+7", "143.0");
    Scenario scenario = ScenarioCatalog.made("mine", SCENARIO.text() + "java @ decant = " + home + "\n");
    Outcome outcome = new Outcome(scenario, outcome(Map.of()).samples(), "");

    assertThat(ScenarioTable.of(List.of(outcome)).lines().filter(line -> line.startsWith("  java "))).singleElement()
        .asString().containsSubsequence("99.0.1+7", JavaRuntime.own().version());
    assertThat(ScenarioTable.of(List.of(outcome(Map.of())))).doesNotContain("  java ");
    ObjectNode json = ScenarioResultFile.of(List.of(outcome), new ScenarioResultFile.Origin("T", "C", List.of(),
        new ScenarioRun.Options(1, true, 1), List.of()));
    JsonNode client = json.at("/scenarios/0/clients/0");
    assertThat(client.path("java").asText()).isEqualTo(program.toString());
    assertThat(client.path("java_version").asText()).isEqualTo("99.0.1+7");
    assertThat(json.at("/scenarios/0/clients/1/java_version").asText()).isEqualTo(JavaRuntime.own().version());
  }

  @Test
  void throughputThatWasLookedAtTooFewTimesHasNoVariation() {
    assertThat(outcome(Map.of()).median("kafka-clients", Metric.RECORDS_PER_S_VARIATION_PERCENT)).isNaN();
  }

  @Test
  void eachThreadHasItsLineAndEachPlaceItsFrames() {
    Map<String, Double> figures = new HashMap<>();
    AllocTable.METRICS.forEach(metric -> figures.put(metric.key(), 0.0));
    figures.put("consume_caller_bytes", 2500.0);
    figures.put("produce_other_bytes", 99.0);
    Outcome outcome = outcome(figures);

    String table = AllocTable.of(outcome, 1000,
        Map.of("decant", List.of(new AllocationSite("consume", "caller", "[B", 24, List.of("a.B.c:1")))));

    assertThat(AllocTable.steadyBytes(outcome, "decant")).isEqualTo(2500);
    assertThat(table.lines().filter(line -> line.matches("decant +consume +caller .*2,500 +2\\.5000"))).hasSize(1);
    assertThat(table.lines().filter(line -> line.matches("decant +produce +I/O .* 0 +0\\.0000"))).hasSize(1);
    assertThat(table).contains("Where decant allocates", "24 bytes  [B", "a.B.c:1");
  }

  @Test
  void pollsHaveALineForEachClientAndDecantsShare() {
    String table = PollTable.of(List.of(outcome(Map.of("records_per_poll", 5.0))));

    assertThat(table.lines().filter(line -> line.startsWith("mine "))).hasSize(2).last().asString()
        .contains("kafka-clients", "5.0").endsWith("0.250");
  }

  @Test
  void comparisonsAreInTheTableAndInTheFile() {
    List<Comparison> comparisons = List.of(Comparison.of(Metric.P50_US, List.of(1.0, 1.01), List.of(2.0, 2.02), 0.05));
    ObjectNode root = ResultJson.JSON.createObjectNode();

    CompareTable.describe(comparisons, "x", "y", root);

    assertThat(CompareTable.of(outcome(Map.of()), comparisons, "x", "y")).contains("A: x", "B: y, the control",
        "verdict: better",
        comparisons.getFirst().sentence("x", "y"));
    assertThat(root.get("comparisons").get(0).get("ratio").asDouble()).isEqualTo(0.5);
    assertThat(root.get("comparisons").get(0).get("conclusion").asText()).isEqualTo("better");
  }
}
