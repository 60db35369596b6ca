package dev.decant.lab.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Verdict;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FixBarsTest {
  private static final FixWork TRIPS = FixWork.ROUND_TRIPS;
  private static final FixMode ONE = FixMode.ONE_CPU;

  private static List<FixVerdict> judged(FixRow... rows) {
    List<FixRow> all = List.of(rows);
    return new FixResult(all.stream().map(FixRow::setup).toList(), all, List.of(), List.of(), false).bars();
  }

  private static Bar.Judged about(List<FixVerdict> bars, String text) {
    return bars.stream().filter(bar -> bar.toString().contains(text)).findFirst().orElseThrow().judged();
  }

  @Test
  void aRatioIsJudgedByTheMediansOfBoth() {
    List<FixVerdict> bars = judged(FixSamples.row(Engine.BARE_SOCKET, TRIPS, ONE, 10, 10.2),
        FixSamples.row(Engine.DECANT_MEMORY, TRIPS, ONE, 12, 13),
        FixSamples.row(Engine.PHILADELPHIA, TRIPS, ONE, 10, 10));

    Bar.Judged bare = about(bars, "p50_us <= 1.300 of bare-socket");
    assertThat(bare.verdict()).isEqualTo(Verdict.MET);
    assertThat(bare.value()).isEqualTo(12.5 / 10.1);
    Bar.Judged philadelphia = about(bars, "p50_us <= 1.150 of philadelphia");
    assertThat(philadelphia.verdict()).isEqualTo(Verdict.NOT_MET);
    assertThat(philadelphia.isMissed()).isTrue();
    assertThat(philadelphia.toString()).contains("measured 1.250");
  }

  @Test
  void aDifferenceBelowTheControlsOwnIsInconclusive() {
    Bar.Judged bar = about(judged(FixSamples.row(Engine.BARE_SOCKET, TRIPS, ONE, 10, 20),
        FixSamples.row(Engine.DECANT_MEMORY, TRIPS, ONE, 20, 22)), "of bare-socket");

    assertThat(bar.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(bar.isMissed()).isFalse();
  }

  @Test
  void theWorstStoreCountsForBytes() {
    FixRow memory = FixSamples.row(Engine.DECANT_MEMORY, TRIPS, ONE, 10);
    FixRow file = new FixRow(new FixSetup(Engine.DECANT_FILE, TRIPS, ONE), List.of(FixSamples.sample(10, 10, 24, 0)));

    Bar.Judged bar = about(judged(memory, file), "allocated_bytes");

    assertThat(bar.verdict()).isEqualTo(Verdict.NOT_MET);
    assertThat(bar.value()).isEqualTo(24);
    assertThat(about(judged(memory), "allocated_bytes").verdict()).isEqualTo(Verdict.MET);
  }

  @Test
  void anEngineThatFailedIsNotMeasuredAndMissesItsBar() {
    FixRow bare = FixSamples.row(Engine.BARE_SOCKET, TRIPS, ONE, 10);
    List<FixSetup> setups = List.of(bare.setup(), new FixSetup(Engine.DECANT_MEMORY, TRIPS, ONE));

    Bar.Judged bar = about(new FixResult(setups, List.of(bare), List.of("it failed"), List.of(), false).bars(),
        "of bare-socket");

    assertThat(bar.verdict()).isEqualTo(Verdict.NOT_MEASURED);
    assertThat(bar.isMissed()).isTrue();
  }

  @Test
  void informationalBarsAreNeverMissed() {
    List<FixVerdict> bars = judged(FixSamples.row(Engine.BARE_SOCKET, TRIPS, ONE, 10, 10),
        FixSamples.row(Engine.DECANT_MEMORY, TRIPS, ONE, 12, 12));

    assertThat(about(bars, "informational").isMissed()).isFalse();
  }

  @Test
  void withoutDecantAndAfterAnInterruptionThereAreNoBars() {
    FixRow bare = FixSamples.row(Engine.BARE_SOCKET, TRIPS, ONE, 10);
    FixRow decant = FixSamples.row(Engine.DECANT_MEMORY, TRIPS, ONE, 10);

    assertThat(judged(bare)).isEmpty();
    assertThat(new FixResult(List.of(bare.setup(), decant.setup()), List.of(bare, decant), List.of(), List.of(), true)
        .bars()).isEmpty();
  }

  @Test
  void medianDriftAndThreadsAreOfAllSamples() {
    FixRow row = new FixRow(new FixSetup(Engine.PHILADELPHIA, TRIPS, ONE), List.of(FixSamples.sample(10, 10, 0, 0),
        FixSamples.sample(10, 20, 30, 2)));

    assertThat(row.median(FixFigure.P50_US)).isEqualTo(15);
    assertThat(FixFigure.P50_US.drift(row.samples())).isEqualTo(2);
    assertThat(row.bytesByThread()).isEqualTo(Map.of("main", 15.0));
    assertThat(row.collectionsByCollector()).isEqualTo(Map.of("Copy", 1.0));
  }
}
