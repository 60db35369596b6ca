package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.ScenarioResultFile;
import dev.decant.lab.report.ScenarioTable;
import dev.decant.lab.stress.Sample;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutcomeTest {
  private static final Scenario SCENARIO = ScenarioFile.parse("mine", "mine.scenario", """
      title = A </script> title
      clients = decant, kafka-clients
      work = produce
      records = 1000
      bar = cpu_us_per_record <= 1/4 of kafka-clients
      bar = records_per_s >= 2 of kafka-clients
      bar = caller_bytes_per_record <= 0.5
      bar = wait_waste_p50_us <= 1
      bar = switches_per_record <= 0.2
      """);
  private static final ScenarioResultFile.Origin ORIGIN = new ScenarioResultFile.Origin("stress: scenarios", "embedded",
      List.of("stress"), new ScenarioRun.Options(1, true, 1), List.of());

  private static Sample sample(String client, double seconds, double cpuSeconds) {
    Measured measured = new Measured(1000, 7, seconds, cpuSeconds, 0, 0, 0, 0,
        Collections.nCopies(Measured.PERCENTILES.size(), 12.0), List.of(10L, 20L), 100,
        Map.of("caller_bytes_per_record", 0.25));
    return new Sample("mine", 100, client, 1000, 1000, measured);
  }

  private static Outcome outcome(double ourSeconds, double ourCpu, double theirOtherSeconds) {
    return new Outcome(SCENARIO, List.of(sample("decant", ourSeconds, ourCpu), sample("kafka-clients", 1, 1),
        sample("kafka-clients", theirOtherSeconds, 1), sample("decant", ourSeconds, ourCpu)), "");
  }

  @Test
  void aBarIsJudgedByTheFirstClientsFigureOrItsRatioToAnother() {
    assertThat(outcome(0.4, 0.2, 1).bars()).extracting(Bar.Judged::verdict).containsExactly(Verdict.MET, Verdict.MET,
        Verdict.MET, Verdict.NOT_MEASURED, Verdict.MET);
    List<Bar.Judged> missed = outcome(0.6, 0.3, 1).bars();
    assertThat(missed).extracting(Bar.Judged::verdict).startsWith(Verdict.NOT_MET, Verdict.NOT_MET, Verdict.MET);
    assertThat(missed.getFirst().value()).isCloseTo(0.3, within(1e-9));
    assertThat(missed.get(2).value()).isCloseTo(0.25, within(1e-9));
  }

  @Test
  void aBarIsInconclusiveWhenTheControlMovedMoreThanTheEffect() {
    Bar.Judged throughput = outcome(0.9, 0.2, 1.5).bars().get(1);

    assertThat(throughput.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(throughput.controlDrift()).isCloseTo(1.5, within(1e-9));
    assertThat(outcome(0.3, 0.2, 1.5).bars().get(1).verdict()).isEqualTo(Verdict.MET);
  }

  @Test
  void aBarBelowWhatABareLoopCostsIsShownAsSuchAndNotMissed() {
    Scenario beside = ScenarioFile.parse("mine", "mine.scenario", SCENARIO.text()
        .replace("decant, kafka-clients", "decant, kafka-clients, bare-socket")
        .replace("work = produce", "work = produce\nwork @ bare-socket = bare-produce"));
    Outcome outcome = new Outcome(beside, List.of(sample("decant", 0.4, 0.3), sample("kafka-clients", 1, 1),
        sample("bare-socket", 0.3, 0.24), sample("kafka-clients", 1, 1), sample("decant", 0.4, 0.3)), "");

    assertThat(outcome.bars().getFirst().verdict()).isEqualTo(Verdict.BELOW_BARE);
    assertThat(outcome.missedBars()).extracting(missed -> missed.bar().metric().key())
        .doesNotContain(Metric.CPU_US_PER_RECORD.key());
    assertThat(ScenarioTable.of(List.of(outcome))).contains("  below bare    cpu_us_per_record <= 1/4 of kafka-clients",
        "measured 0.300, bare-socket itself 0.240");
  }

  @Test
  void howSamplesDifferIsNotSaidOfOneSample() {
    Outcome once = new Outcome(SCENARIO, List.of(sample("decant", 0.4, 0.2), sample("kafka-clients", 1, 1)), "");

    Bar.Judged throughput = once.bars().get(1);
    assertThat(throughput.verdict()).isEqualTo(Verdict.MET);
    assertThat(throughput.controlDrift()).isNaN();
    assertThat(throughput.toString()).contains("measured 2.500", "too few samples").doesNotContain("NaN");
    assertThat(outcome(0.4, 0.2, 1).bars().get(1).toString()).contains("(its own samples differ 1.00 times)");
  }

  @Test
  void barsOfAUserTakeThePlaceOfItsOwn() {
    Scenario held = SCENARIO.heldTo(List.of(Bar.parse("kafka-clients.cpu_us_per_record <= 1000"),
        Bar.parse("decant.cpu_us_per_record <= 0.1 * kafka-clients.cpu_us_per_record")));

    assertThat(new Outcome(held, outcome(0.4, 0.2, 1).samples(), "").missedBars()).singleElement()
        .extracting(missed -> missed.bar().limit()).isEqualTo(0.1);
    List<Bar<Sample>> unknown = List.of(Bar.parse("netty.p50_us <= 1"));
    assertThatThrownBy(() -> SCENARIO.heldTo(unknown)).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("mine").hasMessageContaining("netty");
  }

  /** A client may be far from its peer, and yet as near to the possible as it should be. */
  @Test
  void anInformationalBarIsJudgedAndShownAndNoRunFailsForIt() {
    Scenario held = ScenarioFile.parse("mine", "mine.scenario", SCENARIO.text().replace("bar = ",
        "bar = informational "));
    Outcome outcome = new Outcome(held, outcome(0.6, 0.3, 1).samples(), "");

    assertThat(outcome.bars()).extracting(Bar.Judged::verdict).containsExactly(Verdict.NOT_MET, Verdict.NOT_MET,
        Verdict.MET, Verdict.NOT_MEASURED, Verdict.MET);
    assertThat(outcome.missedBars()).isEmpty();
    assertThat(ScenarioTable.of(List.of(outcome)))
        .contains("  not met       informational cpu_us_per_record <= 1/4 of kafka-clients", "measured 0.300",
            "  not measured  informational wait_waste_p50_us <= 1");
    JsonNode bar = ScenarioResultFile.of(List.of(outcome), ORIGIN).get("scenarios").get(0).get("bars").get(0);
    assertThat(bar.get("informational").asBoolean()).isTrue();
    assertThat(bar.get("verdict").asText()).isEqualTo("not met");
    assertThat(bar.get("limit").asDouble()).isEqualTo(0.25);
  }

  @Test
  void nothingIsMeasuredOfAScenarioThatFailed() {
    Outcome failed = new Outcome(SCENARIO, List.of(), "the broker is gone");

    assertThat(failed.bars()).extracting(Bar.Judged::verdict).containsOnly(Verdict.NOT_MEASURED);
    assertThat(ScenarioTable.of(List.of(failed))).contains("failed: the broker is gone");
  }

  @Test
  void theTableHasEachMetricThatWasMeasuredAndEachBar() {
    String table = ScenarioTable.of(List.of(outcome(0.5, 0.2, 1)));

    assertThat(table).contains("mine: A </script> title", "median of 2", "all 2000", "kafka-clients")
        .doesNotContain("service_p50_us", "NaN");
    assertThat(table.lines().filter(line -> line.contains("records_per_s "))).first().asString().contains("2,000",
        "1,000", "2.000");
    assertThat(table.lines().filter(line -> line.startsWith("  met  "))).hasSize(4);
    assertThat(table).contains("not measured  wait_waste_p50_us <= 1");
  }

  @Test
  void theResultFileAndThePageHaveTheSame() {
    ObjectNode root = ScenarioResultFile.of(List.of(outcome(0.5, 0.2, 1)), ORIGIN);

    JsonNode scenario = root.get("scenarios").get(0);
    assertThat(scenario.get("clients").get(0).get("metrics").get("cpu_us_per_record").asDouble()).isEqualTo(200);
    assertThat(scenario.get("clients").get(0).get("metrics").has("wait_waste_p50_us")).isFalse();
    assertThat(scenario.get("bars").get(0).get("verdict").asText()).isEqualTo("met");
    assertThat(scenario.get("bars").get(0).get("informational").asBoolean()).isFalse();
    assertThat(scenario.get("bars").get(0).get("value").asDouble()).isEqualTo(0.2);
    assertThat(scenario.get("samples")).hasSize(4);
    assertThat(scenario.get("text").asText()).isEqualTo(SCENARIO.text());
    assertThat(root.get("settings").get("quick").asBoolean()).isTrue();
    String page = HtmlReport.ofScenarios(root);
    assertThat(page).doesNotContain("@data@", "@plots@", "@head@", "@common@", "src=", "A </script>")
        .contains("A \\u003c/script>", "Chart");
  }
}
