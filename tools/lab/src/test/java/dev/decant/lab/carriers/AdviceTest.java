package dev.decant.lab.carriers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.lab.load.LoadMeasured;
import dev.decant.lab.probe.ContextSwitches;
import dev.decant.lab.server.ServerKind;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdviceTest {
  private static final Setting JDK = Setting.ofTheJdk(2);
  private static final Setting PLATFORM = new Setting(2, Setting.PLATFORM_POLLERS, 0, 0);

  static LoadMeasured sample(double requestsPerSecond, double workPerSecond, double p99Millis, double others) {
    Double[] latency = new Double[LoadMeasured.PERCENTILES.size()];
    Arrays.fill(latency, p99Millis * 1000);
    return new LoadMeasured(2, (long) (requestsPerSecond * 2), (long) (workPerSecond * 2), List.of(latency), 1.5, 10, 0,
        others, new ContextSwitches(Map.of("ForkJoinPool", (long) requestsPerSecond), Map.of("main", 1L)));
  }

  private static CarriersRow row(ServerKind server, LoadKind load, Setting setting, LoadMeasured... samples) {
    return new CarriersRow(new Setup(server, load, load == LoadKind.PLAIN ? 100 : 70, setting), List.of(samples));
  }

  private static CarriersRow plain(Setting setting, double rate, double p99) {
    return row(ServerKind.MINIMAL, LoadKind.PLAIN, setting, sample(rate, 0, p99, 0), sample(rate, 0, p99, 0));
  }

  private static CarriersRow mixed(Setting setting, double rate, double work, double p99) {
    return row(ServerKind.MINIMAL, LoadKind.MIXED, setting, sample(rate, work, p99, 0), sample(rate, work, p99, 0));
  }

  private static CarriersRow selector(double rate, double p99) {
    return row(ServerKind.SELECTOR, LoadKind.PLAIN, Setting.loops(1), sample(rate, 0, p99, 0));
  }

  @Test
  void theSettingThatIsBestOverAllLoadsIsAdvisedWithItsFlags() {
    String advice = Advice.of(List.of(plain(JDK, 218_000, 6.7), plain(PLATFORM, 157_000, 1.1),
        mixed(JDK, 1187, 7000, 275), mixed(PLATFORM, 1637, 7000, 13.7)), 2);

    assertThat(advice).isEqualTo("This machine (2 CPUs) should run virtual threads with 2 carriers, poller mode 1"
        + " (-Djdk.virtualThreadScheduler.parallelism=2 -Djdk.pollerMode=1) instead of the JDK's own setting"
        + " (2 carriers, poller mode 2): minimal then has 157,000 requests/s at p99 1.1 ms instead of"
        + " 218,000 requests/s at p99 6.7 ms (plain, 100 connections), 1,637 requests/s at p99 13.7 ms"
        + " beside 7,000 computations/s instead of 1,187 requests/s at p99 275.0 ms"
        + " beside 7,000 computations/s (mixed, 70 connections).");
  }

  @Test
  void theOtherWayRoundTheAdviceIsTheOtherOne() {
    String advice = Advice.of(List.of(plain(JDK, 218_000, 1.1), plain(PLATFORM, 157_000, 6.7)), 2);

    assertThat(advice).startsWith("This machine (2 CPUs) should leave virtual threads at the JDK's own setting")
        .contains("minimal has 218,000 requests/s at p99 1.1 ms (plain, 100 connections).");
  }

  @Test
  void anEffectThatIsSmallerThanTheControlsOwnDriftCountsForNothing() {
    CarriersRow drifting = row(ServerKind.MINIMAL, LoadKind.PLAIN, JDK, sample(100_000, 0, 1, 0),
        sample(200_000, 0, 3, 0));

    assertThat(Advice.of(List.of(drifting, plain(PLATFORM, 200_000, 1)), 2)).contains("should leave");
  }

  @Test
  void aSettingThatWasNotMeasuredAtEveryLoadIsNotAdvised() {
    String advice = Advice.of(List.of(plain(JDK, 100_000, 5), mixed(JDK, 1000, 5000, 50), plain(PLATFORM, 200_000, 1)),
        2);

    assertThat(advice).contains("should leave");
  }

  @Test
  void lightRequestsThatStarveTheComputationsAreNoGain() {
    assertThat(Gain.of(mixed(PLATFORM, 1200, 100, 40), mixed(JDK, 1000, 5000, 50))).isZero();
    assertThat(Gain.of(mixed(PLATFORM, 1152, 4131, 16), mixed(JDK, 1003, 7736, 54))).isZero();
  }

  @Test
  void aPriorityIsAdvisedAsACall() {
    String advice = Advice.of(List.of(plain(JDK, 100_000, 5), plain(JDK.withNice(19), 100_000, 1)), 2);

    assertThat(advice).contains("2 carriers, poller mode 2, nice 19", "and CarrierPriority.lower(19)");
  }

  @Test
  void theBestNioServerIsNamedAndHowItCompares() {
    assertThat(Advice.of(List.of(plain(JDK, 100_000, 5), selector(90_000, 9), selector(200_000, 5)), 2))
        .endsWith("; of the NIO servers, selector with 1 loop is better with 200,000 requests/s at p99 5.0 ms"
            + " (plain, 100 connections).");
    assertThat(Advice.of(List.of(plain(JDK, 100_000, 5), selector(101_000, 5)), 2)).contains("no different");
    assertThat(Advice.of(List.of(plain(JDK, 100_000, 5), selector(50_000, 5)), 2)).contains("yet worse");
  }

  @Test
  void withoutTheJdksOwnSettingNothingFollows() {
    assertThat(Advice.of(List.of(plain(PLATFORM, 100_000, 5)), 2)).contains("nothing follows");
    assertThat(Advice.of(List.of(plain(JDK, 100_000, 5)), 4)).contains("nothing follows");
    assertThat(Advice.of(List.of(), 1)).startsWith("This machine (1 CPU): nothing follows");
  }

  @Test
  void aPriorityIsComparedWithTheSameSetupWithoutIt() {
    assertThat(PriorityFinding.of(List.of(plain(JDK, 1000, 5), plain(PLATFORM.withNice(5), 1000, 1))))
        .isEqualTo("A lower priority of the carriers was not measured beside the usual one.");
    assertThat(PriorityFinding.of(List.of(plain(JDK, 1000, 5), plain(JDK.withNice(5), 1000, 1),
        plain(JDK.withNice(19), 1000, 50), mixed(JDK, 10, 10, 5), mixed(JDK.withNice(5), 10, 10, 5))))
        .isEqualTo("A lower priority of the carriers helped in 1 of 3 setups (minimal, plain, 100 connections,"
            + " 2 carriers, poller mode 2, nice 5: p99 1.0 instead of 5.0 ms, 1,000 instead of 1,000 requests/s),"
            + " harmed in 1 (minimal, plain, 100 connections, 2 carriers, poller mode 2, nice 19: p99 50.0 instead of"
            + " 5.0 ms, 1,000 instead of 1,000 requests/s), and in 1 made no difference beyond the samples'"
            + " own drift.");
  }

  @Test
  void aBusyMachineIsToldOf() {
    CarriersPlan plan = new CarriersPlan(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), 2,
        1, 1, 1, true, List.of());
    CarriersRow quiet = row(ServerKind.MINIMAL, LoadKind.PLAIN, JDK, sample(1, 0, 1, 3));
    CarriersRow busy = row(ServerKind.MINIMAL, LoadKind.PLAIN, JDK, sample(1, 0, 1, 42));

    assertThat(new CarriersResult(plan, 1, List.of(quiet), List.of()).disturbance()).isEmpty();
    CarriersResult disturbed = new CarriersResult(plan, 1, Collections.nCopies(2, busy), List.of());
    assertThat(disturbed.disturbance()).startsWith("Other processes used 42 % of the CPUs");
    assertThat(disturbed.advice()).startsWith("Only until it is measured on a quiet machine: This machine (2 CPUs)");
    assertThat(new CarriersResult(plan, 1, List.of(quiet), List.of()).advice()).startsWith("This machine (2 CPUs)");
  }

  @Test
  void switchesArePerRequestAndMostComeFirst() {
    assertThat(plain(JDK, 100, 1).switchesPerRequest()).containsExactly(Map.entry("ForkJoinPool", 0.5),
        Map.entry("main", 0.005));
  }
}
