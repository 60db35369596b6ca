package dev.decant.lab;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.ComparisonBar;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.util.ArrayList;
import java.util.List;

/** Bars on a comparison without scenarios; those of a user must hold of producing and of consuming, at every size. */
final class ComparisonBars {
  private static final String PEER = "kafka-clients";
  private static final int SIZE = StressPlan.BARE_SIZE;
  private static final List<String> PRODUCE = List.of("decant.cpu_us_per_record <= 1/4 of kafka-clients",
      "decant.records_per_s >= 1.3 of kafka-clients", "decant.bytes_per_record <= 1");
  private static final List<String> CONSUME = List.of("decant.cpu_us_per_record <= 1/3 of kafka-clients",
      "decant.records_per_s >= 2 of kafka-clients", "decant.bytes_per_record <= 1");

  private ComparisonBars() {}

  /** Refuses a bar of a client that is not measured. */
  static void check(List<Bar> bars, List<String> clients) {
    List<String> known = clients.stream().map(client -> client.equals(StressPlan.PEER) ? PEER : client).toList();
    bars.forEach(bar -> bar.check(known));
  }

  /**
   * Judges the bars of the lab, which are set for values of 100 bytes.
   *
   * @param result of the run
   * @return none unless both clients were measured
   */
  static List<ComparisonBar> judge(StressResult result) {
    List<ComparisonBar> judged = new ArrayList<>();
    for (String scenario : result.plan().scenarios()) {
      if (result.plan().recordSizes().contains(SIZE)
          && result.plan().clients().containsAll(List.of(StressPlan.DECANT, StressPlan.PEER))) {
        for (String bar : scenario.equals("produce") ? PRODUCE : CONSUME) {
          judged.add(judge(Bar.parse(bar), result, scenario, SIZE));
        }
      }
    }
    return judged;
  }

  /**
   * Judges those of a user.
   *
   * @param bars of the user
   * @param result of the run
   * @return each bar for each scenario and size, in this order
   */
  static List<ComparisonBar> judge(List<Bar> bars, StressResult result) {
    List<ComparisonBar> judged = new ArrayList<>();
    for (Bar bar : bars) {
      for (String scenario : result.plan().scenarios()) {
        for (int size : result.plan().recordSizes()) {
          judged.add(judge(bar, result, scenario, size));
        }
      }
    }
    return judged;
  }

  private static ComparisonBar judge(Bar bar, StressResult result, String scenario, int size) {
    String subject = bar.subject().isEmpty() ? result.plan().clients().getFirst() : bar.subject();
    String bare = bar.metric() == Metric.CPU_US_PER_RECORD ? WorkSpec.BARE_SOCKET : "";
    return new ComparisonBar(scenario + ", " + size + " bytes", bar.judge(row(result, scenario, size, subject),
        row(result, scenario, size, bar.control()), row(result, scenario, size, bare)));
  }

  private static Row row(StressResult result, String scenario, int size, String client) {
    String name = client.equals(PEER) ? StressPlan.PEER : client;
    return result.rows().stream().filter(row -> row.scenario().equals(scenario) && row.recordSize() == size
        && row.client().equals(name)).findFirst().orElse(new Row(scenario, size, name, List.of()));
  }
}
