package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.report.ResultFile;
import dev.decant.lab.report.TextTable;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.ComparisonBar;
import dev.decant.lab.scenario.Verdict;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A newcomer used to be greeted with MISSED by a bar that not even a loop without a client can keep. */
class ComparisonBarsTest {
  private static final StressPlan PLAN = new StressPlan(List.of("consume"),
      List.of(StressPlan.DECANT, StressPlan.PEER, StressPlan.BARE), List.of(100), 0, 0, 6, "1", 5, 65_536, 1, false,
      List.of(), 1);

  private static Sample sample(String client, double seconds, double cpuSeconds) {
    Measured measured = new Measured(1_000_000, 7, seconds, cpuSeconds, 0.01, 60, 0, 0,
        Collections.nCopies(Measured.PERCENTILES.size(), 12.0), List.of(10L, 20L), 100, Map.of());
    return new Sample("consume", 100, client, 1_000_000, 1_000_000, measured);
  }

  /** The peer takes 1 s, and 1 s of processor time. */
  private static StressResult result(double ourSeconds, double ourCpu, double bareCpu) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      samples.add(sample(StressPlan.DECANT, ourSeconds, ourCpu));
      samples.add(sample(StressPlan.PEER, 1, 1));
      if (bareCpu > 0) {
        samples.add(sample(StressPlan.BARE, 0.1, bareCpu));
      }
    }
    return new StressResult(PLAN, samples);
  }

  private static List<Verdict> verdicts(StressResult result) {
    return ComparisonBars.judge(result).stream().map(each -> each.bar().verdict()).toList();
  }

  @Test
  void barsAreMetOrNotOnTheFiguresOfTheRun() {
    assertThat(verdicts(result(0.4, 0.3, 0.2))).containsExactly(Verdict.MET, Verdict.MET, Verdict.MET);
    assertThat(verdicts(result(0.4, 0.4, 0.2))).containsExactly(Verdict.NOT_MET, Verdict.MET, Verdict.MET);
    assertThat(verdicts(result(0.6, 0.3, 0.2))).containsExactly(Verdict.MET, Verdict.NOT_MET, Verdict.MET);
  }

  @Test
  void aBarThatAsksForHardlyMoreThanABareLoopCostsIsNeitherPassedNorMissed() {
    ComparisonBar cpu = ComparisonBars.judge(result(0.4, 0.4, 0.32)).getFirst();

    assertThat(cpu.bar().verdict()).isEqualTo(Verdict.BELOW_BARE);
    assertThat(cpu.bar().bare()).isCloseTo(0.32, within(1e-9));
    assertThat(cpu.bar().isMissed()).isFalse();
    assertThat(cpu.bar().isUndecided()).isTrue();
    assertThat(cpu.toString()).contains("consume, 100 bytes: below bare", "measured 0.400, bare-socket itself 0.320");
  }

  @Test
  void aBarThatIsKeptIsMetEvenWhereABareLoopCostsMore() {
    assertThat(verdicts(result(0.4, 0.3, 0.5))).startsWith(Verdict.MET);
  }

  @Test
  void withoutABareLoopABarIsMetOrNot() {
    assertThat(verdicts(result(0.4, 0.4, 0))).startsWith(Verdict.NOT_MET);
  }

  @Test
  void barsOfAUserAreJudgedTheSameWay() {
    List<ComparisonBar> judged = ComparisonBars.judge(
        List.of(Bar.parse("decant.cpu_us_per_record <= 1.05 of bare-socket"), Bar.parse("cpu_us_per_record <= 0.3")),
        result(0.4, 0.4, 0.32));

    assertThat(judged).extracting(each -> each.bar().verdict()).containsExactly(Verdict.BELOW_BARE,
        Verdict.BELOW_BARE);
  }

  @Test
  void theTableHasAHeadForTheBarsAndTheFileTheirVerdicts() {
    StressResult result = result(0.4, 0.4, 0.32);
    List<ComparisonBar> judged = ComparisonBars.judge(result);

    assertThat(TextTable.of(result, judged.stream().map(Object::toString).toList()))
        .contains("\nBars\n  consume, 100 bytes: below bare", "a loop without a client").doesNotContain("MISSED");
    JsonNode bar = ResultFile.of(result, "embedded", List.of("stress"), judged).get("bars").get(0);
    assertThat(bar.get("verdict").asText()).isEqualTo("below bare");
    assertThat(bar.get("met").asBoolean()).isFalse();
    assertThat(bar.get("bare").asDouble()).isEqualTo(0.32);
  }

  @Test
  void aRatioBelowAThousandthIsNone() {
    assertThat(TextTable.of(new StressResult(PLAN, List.of(sample(StressPlan.DECANT, 1, 1), peerThatAllocates())),
        List.of()).lines().filter(line -> line.contains("decant / peer"))).singleElement().asString()
        .contains(" none against 426 B ");
  }

  private static Sample peerThatAllocates() {
    Measured measured = new Measured(1_000_000, 7, 1, 1, 0.01, 426_000_000, 0, 0,
        Collections.nCopies(Measured.PERCENTILES.size(), 12.0), List.of(10L, 20L), 100, Map.of());
    return new Sample("consume", 100, StressPlan.PEER, 1_000_000, 1_000_000, measured);
  }
}
