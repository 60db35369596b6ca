package dev.decant.lab.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.ResultFile;
import dev.decant.lab.report.TextTable;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.StressScenarios;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StressResultTest {
  private static final StressPlan PLAN = new StressPlan(List.of("produce", "consume"),
      List.of(StressPlan.DECANT, StressPlan.PEER), List.of(100), 0, 0, 6, "1", 5, 65_536, 1, true, List.of(), 1);

  private static Sample sample(String client, double seconds, double cpuSeconds, long delivered) {
    Measured measured = new Measured(1_000_000, 7, seconds, cpuSeconds, 0.01, 500_000, 2, 5,
        Collections.nCopies(Measured.PERCENTILES.size(), 12.0), List.of(10L, 20L), 100, Map.of());
    return new Sample("produce", 100, client, delivered, 1_000_000, measured);
  }

  private static StressResult result(double ourSeconds, double ourCpu) {
    return new StressResult(PLAN,
        List.of(sample(StressPlan.DECANT, ourSeconds, ourCpu, 1_000_000), sample(StressPlan.PEER, 1.0, 1.0, 1_000_000),
            sample(StressPlan.PEER, 1.2, 1.0, 1_000_000), sample(StressPlan.DECANT, ourSeconds, ourCpu, 1_000_000)));
  }

  @Test
  void aQuickPlanIsAScenarioWithItsSettings() {
    Scenario scenario = StressScenarios.of(PLAN).getFirst();

    assertThat(scenario.name()).isEqualTo("produce, 100 bytes");
    assertThat(scenario.clients()).containsExactly("decant", "kafka-clients");
    WorkSpec spec = scenario.contenders().getFirst().spec(true, 7);
    assertThat(spec.amount()).isEqualTo(new WorkSpec.Amount(3_000_000, 6000, 2_000_000, 0, 0, 0));
    assertThat(spec.load()).isEqualTo(WorkSpec.Load.plain(100, 7));
    assertThat(spec.producer()).isEqualTo(Map.of("acks", "1", "enable.idempotence", "false", "linger.ms", "5",
        "batch.size", "65536"));
  }

  @Test
  void aLoopWithoutAClientTakesTurnsAtTheSizeOfTheBarsOnly() {
    StressPlan plan = new StressPlan(List.of("produce"), List.of(StressPlan.DECANT, StressPlan.PEER, StressPlan.BARE),
        List.of(100, 1000), 0, StressPlan.DEFAULT_MILLIS, 6, "1", 5, 65_536, 1, false, List.of(), 1);

    List<Scenario> scenarios = StressScenarios.of(plan);
    assertThat(scenarios.getFirst().clients()).containsExactly("decant", "kafka-clients", "bare-socket");
    assertThat(scenarios.getFirst().contenders().getLast().work()).isEqualTo(WorkKind.named("bare-produce"));
    assertThat(scenarios.getFirst().contenders().getLast().spec(false, 1).amount())
        .isEqualTo(new WorkSpec.Amount(6_000_000, 15_000, 0, 5000, 0, 0));
    assertThat(scenarios.getLast().clients()).containsExactly("decant", "kafka-clients");
  }

  @Test
  void optionsReplaceTheSettingsOfTheScenarioFile() {
    StressPlan plan = new StressPlan(List.of("consume"), List.of(StressPlan.PEER), List.of(1000), 0, 1500, 3, "all", 0,
        99, 1, false, List.of(), 1);

    WorkSpec spec = StressScenarios.of(plan).getFirst().contenders().getFirst().spec(false, 1);
    assertThat(spec.client()).isEqualTo(WorkSpec.PEER);
    assertThat(spec.work()).isEqualTo(WorkKind.named("consume"));
    assertThat(spec.topics()).isEqualTo(WorkSpec.Topics.one(3));
    assertThat(spec.consumer()).isEqualTo(Map.of("fetch.max.wait.ms", "10"));
    assertThat(spec.amount()).isEqualTo(new WorkSpec.Amount(3_600_000, 15_000, 0, 1500, 1_200_000, 0));
  }

  /** A user's first run once had samples of 1 to 4 s, many of which differed too much for a conclusion. */
  @Test
  void samplesAreOfFiveSecondsAndWarmUpsAreBounded() {
    assertThat(StressPlan.DEFAULT_MILLIS).isGreaterThanOrEqualTo(5000);
    assertThat(PLAN.warmUpMillis()).isEqualTo(6000);
    assertThat(new StressPlan(List.of("produce"), PLAN.clients(), List.of(100), 0, 0, 6, "1", 5, 65_536, 1, false,
        List.of(), 1).warmUpMillis()).isEqualTo(15_000);
  }

  @Test
  void aRowHasTheMedianOfItsSamplesAndTheirDrift() {
    Row peer = result(0.5, 0.2).rows().get(1);

    assertThat(peer.client()).isEqualTo(StressPlan.PEER);
    assertThat(peer.median(Sample::recordsPerSecond)).isCloseTo((1e6 + 1e6 / 1.2) / 2, within(1.0));
    assertThat(peer.drift(Sample::recordsPerSecond)).isCloseTo(1.2, within(1e-9));
    assertThat(peer.delivered()).isEqualTo(2_000_000);
  }

  @Test
  void aThroughputIsBetterOnlyIfItDiffersByMoreThanTheClientsDrift() {
    assertThat(result(0.5, 0.2).ratios().getFirst().verdict()).isEqualTo("better");
    assertThat(result(1.05, 0.2).ratios().getFirst().verdict()).isEqualTo("inconclusive");
    assertThat(result(2.0, 0.2).ratios().getFirst().verdict()).isEqualTo("worse");
  }

  @Test
  void aSampleThatDeliveredLessThanExpectedIsFound() {
    StressResult result = new StressResult(PLAN, List.of(sample(StressPlan.DECANT, 1, 1, 999_999)));

    assertThat(result.wrongDeliveries()).hasSize(1);
    assertThat(TextTable.of(result, List.of())).contains("999999 of 1000000").doesNotContain("Bars");
  }

  @Test
  void theResultFileNamesEveryFigureWithItsUnit() {
    ObjectNode root = ResultFile.of(result(0.5, 0.2), "embedded", List.of("stress"), List.of());

    JsonNode row = root.get("rows").get(0);
    assertThat(row.get("scenario").asText()).isEqualTo("produce");
    assertThat(row.get("client").asText()).isEqualTo("decant");
    assertThat(row.get("record_size_bytes").asInt()).isEqualTo(100);
    assertThat(row.get("records_per_s").asDouble()).isEqualTo(2_000_000);
    assertThat(row.get("cpu_us_per_record").asDouble()).isEqualTo(0.2);
    assertThat(row.get("jit_cpu_us_per_record").asDouble()).isEqualTo(0.01);
    assertThat(row.get("alloc_bytes_per_record").asDouble()).isEqualTo(0.5);
    assertThat(row.get("gc_count").asInt()).isEqualTo(2);
    assertThat(row.get("gc_pause_ms").asInt()).isEqualTo(5);
    assertThat(row.get("latency_us").fieldNames()).toIterable().containsExactly("p50", "p99", "p999", "max");
    assertThat(row.get("delivered").asLong()).isEqualTo(row.get("expected").asLong());
    assertThat(root.get("ratios").get(0).get("records_per_s").asDouble()).isCloseTo(2.182, within(0.001));
    assertThat(root.get("environment").get("cpus").asInt()).isPositive();
    assertThat(root.get("command").get(0).asText()).isEqualTo("stress");
  }

  @Test
  void theReportNeedsNothingFromElsewhere() {
    ObjectNode root = ResultFile.of(result(0.5, 0.2), "</script><b>", List.of("stress"), List.of());

    String page = HtmlReport.of(root);

    assertThat(page).doesNotContain("@data@", "@plots@", "src=", "</script><b>").contains("\\u003c/script>", "Chart");
  }
}
