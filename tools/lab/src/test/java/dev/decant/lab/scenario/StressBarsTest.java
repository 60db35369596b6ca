package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.report.ResultFile;
import dev.decant.lab.report.TextTable;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A user's first run once ended with MISSED, for a bar that not even a loop without a client can keep. */
class StressBarsTest {
  private static final StressPlan PLAN = new StressPlan(List.of("consume"),
      List.of(StressPlan.DECANT, StressPlan.PEER, StressPlan.BARE), List.of(100), 0, 0, 6, "1", 5, 65_536, 1, false,
      List.of(), 1);

  private static final String PEER = "kafka-clients";

  private static Sample sample(String client, double seconds, double cpuSeconds) {
    Measured measured = new Measured(1_000_000, 7, seconds, cpuSeconds, 0.01, 60, 0, 0,
        Collections.nCopies(Measured.PERCENTILES.size(), 12.0), List.of(10L, 20L), 100, Map.of());
    return new Sample("consume, 100 bytes", 100, client, 1_000_000, 1_000_000, measured);
  }

  /** Returns an outcome in which the peer takes 1 s, and 1 s of processor time. */
  private static Outcome outcome(double ourSeconds, double ourCpu, double bareCpu) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      samples.add(sample(StressPlan.DECANT, ourSeconds, ourCpu));
      samples.add(sample(PEER, 1, 1));
      if (bareCpu > 0) {
        samples.add(sample(StressPlan.BARE, 0.1, bareCpu));
      }
    }
    return new Outcome(StressScenarios.of(PLAN).getFirst(), samples, "");
  }

  private static List<Verdict> verdicts(Outcome outcome) {
    return outcome.bars().stream().map(Bar.Judged::verdict).toList();
  }

  private static List<String> bars(StressPlan plan, int scenario) {
    return StressScenarios.of(plan).get(scenario).bars().stream().map(Bar::text).toList();
  }

  @Test
  void barsAreThoseOfTheScenarioFiles() {
    assertThat(bars(PLAN, 0)).containsExactly("decant.cpu_us_per_record <= 1/3 of kafka-clients",
        "decant.records_per_s >= 2 of kafka-clients", "decant.bytes_per_record <= 1");
  }

  @Test
  void anotherSizeIsHeldToNoBarAndAClientAloneToThoseThatNameNoOther() {
    StressPlan plan = new StressPlan(List.of("produce"), List.of(StressPlan.DECANT), List.of(1000, 100), 0, 0, 6, "1",
        5, 65_536, 1, false, List.of(), 1);

    assertThat(bars(plan, 0)).isEmpty();
    assertThat(bars(plan, 1)).containsExactly("decant.bytes_per_record <= 1");
  }

  @Test
  void barsAreMetOrNotOnTheFiguresOfTheRun() {
    assertThat(verdicts(outcome(0.4, 0.3, 0.2))).containsExactly(Verdict.MET, Verdict.MET, Verdict.MET);
    assertThat(verdicts(outcome(0.4, 0.4, 0.2))).containsExactly(Verdict.NOT_MET, Verdict.MET, Verdict.MET);
    assertThat(verdicts(outcome(0.6, 0.3, 0.2))).containsExactly(Verdict.MET, Verdict.NOT_MET, Verdict.MET);
  }

  @Test
  void aBarThatAsksForHardlyMoreThanABareLoopCostsIsNeitherPassedNorMissed() {
    Bar.Judged cpu = outcome(0.4, 0.4, 0.32).bars().getFirst();

    assertThat(cpu.verdict()).isEqualTo(Verdict.BELOW_BARE);
    assertThat(cpu.bare()).isCloseTo(0.32, within(1e-9));
    assertThat(cpu.isMissed()).isFalse();
    assertThat(cpu.isUndecided()).isTrue();
    assertThat(cpu.toString()).contains("below bare", "measured 0.400, bare-socket itself 0.320");
  }

  @Test
  void aBarThatIsKeptIsMetEvenWhereABareLoopCostsMore() {
    assertThat(verdicts(outcome(0.4, 0.3, 0.5))).startsWith(Verdict.MET);
  }

  @Test
  void withoutABareLoopABarIsMetOrNot() {
    assertThat(verdicts(outcome(0.4, 0.4, 0))).startsWith(Verdict.NOT_MET);
  }

  @Test
  void barsOfAUserAreJudgedTheSameWay() {
    Outcome outcome = outcome(0.4, 0.4, 0.32);
    Scenario held = outcome.scenario().heldTo(List.of(
        Bar.parse("decant.cpu_us_per_record <= 1.05 of bare-socket"), Bar.parse("cpu_us_per_record <= 0.3")));

    assertThat(verdicts(new Outcome(held, outcome.samples(), ""))).containsExactly(Verdict.BELOW_BARE,
        Verdict.BELOW_BARE);
  }

  @Test
  void theTableHasAHeadForTheBarsAndTheFileTheirVerdicts() {
    Outcome outcome = outcome(0.4, 0.4, 0.32);
    StressResult result = StressScenarios.result(PLAN, List.of(outcome));

    assertThat(
        TextTable.of(result, outcome.bars().stream().map(bar -> outcome.scenario().name() + ": " + bar).toList()))
        .contains("\nBars\n  consume, 100 bytes: below bare", "a loop without a client").doesNotContain("MISSED");
    JsonNode bar = ResultFile.of(result, "embedded", List.of("stress"), List.of(outcome)).get("bars").get(0);
    assertThat(bar.get("name").asText())
        .isEqualTo("consume, 100 bytes: decant.cpu_us_per_record <= 1/3 of kafka-clients");
    assertThat(bar.get("verdict").asText()).isEqualTo("below bare");
    assertThat(bar.get("met").asBoolean()).isFalse();
    assertThat(bar.get("bare").asDouble()).isEqualTo(0.32);
  }

  @Test
  void aRatioBelowAThousandthIsNone() {
    assertThat(TextTable.of(new StressResult(PLAN, List.of(decant(), peerThatAllocates())),
        List.of()).lines().filter(line -> line.contains("decant / peer"))).singleElement().asString()
        .contains(" none against 426 B ");
  }

  private static Sample decant() {
    return new Sample("consume", 100, StressPlan.DECANT, 1_000_000, 1_000_000,
        sample(StressPlan.DECANT, 1, 1).measured());
  }

  private static Sample peerThatAllocates() {
    Measured measured = new Measured(1_000_000, 7, 1, 1, 0.01, 426_000_000, 0, 0,
        Collections.nCopies(Measured.PERCENTILES.size(), 12.0), List.of(10L, 20L), 100, Map.of());
    return new Sample("consume", 100, StressPlan.PEER, 1_000_000, 1_000_000, measured);
  }
}
