package dev.decant.lab.carriers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.lab.server.ServerKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class CarriersPlanTest {
  private static CarriersPlan plan(boolean quick, List<Integer> parallelism) {
    return new CarriersPlan(List.of(ServerKind.values()), List.of(LoadKind.values()), List.of(100, 1000), parallelism,
        List.of(2, 1), List.of(1), List.of(0, 5, 19), 2, 1, 1, 1, quick, List.of());
  }

  private static List<String> settings(CarriersPlan plan, ServerKind server) {
    return plan.setups().stream().filter(setup -> setup.server() == server && setup.load() == LoadKind.MIXED)
        .map(setup -> setup.setting().label()).toList();
  }

  @Test
  void parallelismAndPollersAreCombinedAndTheRestVariesWhereCarriersAreAsManyAsProcessors() {
    CarriersPlan plan = plan(false, List.of(1, 2, 4));

    assertThat(settings(plan, ServerKind.JDK)).containsExactly("1 carrier, poller mode 2", "2 carriers, poller mode 2",
        "4 carriers, poller mode 2", "2 carriers, poller mode 2, nice 5", "2 carriers, poller mode 2, nice 19",
        "1 carrier, poller mode 1", "2 carriers, poller mode 1", "4 carriers, poller mode 1",
        "2 carriers, poller mode 1, nice 5", "2 carriers, poller mode 1, nice 19",
        "1 carrier, poller mode 2, read pollers 1", "2 carriers, poller mode 2, read pollers 1");
    assertThat(settings(plan, ServerKind.NETTY)).containsExactly("1 loop", "2 loops");
  }

  @Test
  void aQuickRunVariesOneServerOnly() {
    CarriersPlan plan = plan(true, List.of(1, 2, 4));

    assertThat(settings(plan, ServerKind.MINIMAL)).containsExactly("1 carrier, poller mode 2",
        "2 carriers, poller mode 2", "2 carriers, poller mode 2, nice 5", "2 carriers, poller mode 2, nice 19",
        "2 carriers, poller mode 1", "2 carriers, poller mode 1, nice 5", "2 carriers, poller mode 1, nice 19",
        "1 carrier, poller mode 2, read pollers 1");
    assertThat(settings(plan, ServerKind.ROBAHO)).containsExactly("2 carriers, poller mode 2");
  }

  @Test
  void moreThanTheProcessorsIsMeasuredWhereNothingElseIsAskedFor() {
    assertThat(settings(plan(true, List.of(4)), ServerKind.MINIMAL)).contains("4 carriers, poller mode 2, nice 19");
    assertThat(settings(plan(false, List.of(4)), ServerKind.SELECTOR)).containsExactly("4 loops");
  }

  @Test
  void theMixedLoadHasItsOwnConnections() {
    assertThat(plan(true, List.of(1, 2)).setups()).filteredOn(setup -> setup.load() == LoadKind.MIXED)
        .allMatch(setup -> setup.connections() == 70);
    assertThat(plan(true, List.of(1, 2)).setups()).filteredOn(setup -> setup.load() == LoadKind.PLAIN)
        .extracting(Setup::connections).containsOnly(100, 1000);
  }

  @Test
  void setupsTakeTurnsThereAndBack() {
    CarriersPlan plan = plan(true, List.of(1, 2));

    assertThat(plan.turns()).hasSize(plan.setups().size() * 2).startsWith(plan.setups().getFirst())
        .endsWith(plan.setups().getFirst());
  }

  @Test
  void theSettingBecomesFlags() {
    assertThat(new Setting(1, 2, 1, 5).flags()).containsExactly("-Djdk.virtualThreadScheduler.parallelism=1",
        "-Djdk.pollerMode=2", "-Djdk.readPollers=1");
    assertThat(Setting.loops(2).flags()).isEmpty();
  }
}
