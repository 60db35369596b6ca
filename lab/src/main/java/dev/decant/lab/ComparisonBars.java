package dev.decant.lab;

import dev.decant.lab.scenario.Bar;
import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.util.ArrayList;
import java.util.List;

/** Bars of a user on a comparison without scenarios: each must hold of producing and of consuming, at every size. */
final class ComparisonBars {
  private static final String PEER = "kafka-clients";

  private ComparisonBars() {}

  /** Refuses a bar of a client that is not measured. */
  static void check(List<Bar> bars, List<String> clients) {
    List<String> known = clients.stream().map(client -> client.equals(StressPlan.PEER) ? PEER : client).toList();
    bars.forEach(bar -> bar.check(known));
  }

  /**
   * Judges them.
   *
   * @param bars of the user
   * @param result of the run
   * @return each bar for each scenario and size, in this order
   */
  static List<Judged> judge(List<Bar> bars, StressResult result) {
    List<Judged> judged = new ArrayList<>();
    for (Bar bar : bars) {
      String subject = bar.subject().isEmpty() ? result.plan().clients().getFirst() : bar.subject();
      for (String scenario : result.plan().scenarios()) {
        for (int size : result.plan().recordSizes()) {
          judged.add(new Judged(scenario + ", " + size + " bytes",
              bar.judge(row(result, scenario, size, subject), row(result, scenario, size, bar.control()))));
        }
      }
    }
    return judged;
  }

  private static Row row(StressResult result, String scenario, int size, String client) {
    String name = client.equals(PEER) ? StressPlan.PEER : client;
    return result.rows().stream().filter(row -> row.scenario().equals(scenario) && row.recordSize() == size
        && row.client().equals(name)).findFirst().orElse(new Row(scenario, size, name, List.of()));
  }

  /**
   * A bar that was judged.
   *
   * @param where scenario and size
   * @param bar with its verdict
   */
  record Judged(String where, Bar.Judged bar) {
    @Override
    public String toString() {
      return where + ": " + bar;
    }
  }
}
