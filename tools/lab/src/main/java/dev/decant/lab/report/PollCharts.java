package dev.decant.lab.report;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.scenario.Contender;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Drawings of the cost of poll sizes, from all scenarios that set {@code max.poll.records}: one for each figure of
 * drained topics, and of paced records.
 */
public final class PollCharts {
  private static final String SIZE = "consumer.max.poll.records";
  private static final List<Metric> DRAWN = List.of(Metric.CPU_US_PER_RECORD, Metric.SWITCHES_PER_RECORD,
      Metric.BYTES_PER_RECORD);

  private PollCharts() {}

  /** The outcome with polls of one size. */
  private record Step(int size, Outcome outcome) {}

  /**
   * Draws lines over the sizes, or bars if there is only one size.
   *
   * @param outcomes outcomes of any scenarios
   * @return empty if no scenario sets the size of its polls
   */
  public static List<Chart> of(List<Outcome> outcomes) {
    List<Chart> charts = new ArrayList<>(of("drained", steps(outcomes, WorkKind.named("consume"))));
    charts.addAll(of("paced", steps(outcomes, WorkKind.named("tail"))));
    return charts;
  }

  /** Returns the outcomes of a work, the smallest polls first. */
  private static List<Step> steps(List<Outcome> outcomes, WorkKind work) {
    List<Step> steps = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      List<String> sizes = outcome.scenario().contenders().stream().map(Contender::settings)
          .map(settings -> settings.getOrDefault(SIZE, "")).distinct().toList();
      if (outcome.scenario().work().equals(work) && sizes.size() == 1 && !sizes.getFirst().isEmpty()) {
        steps.add(new Step(Integer.parseInt(sizes.getFirst()), outcome));
      }
    }
    steps.sort(Comparator.comparingInt(Step::size));
    return steps;
  }

  private static List<Chart> of(String mode, List<Step> steps) {
    List<String> names = steps.stream().map(step -> name(step, steps)).toList();
    List<String> clients = steps.stream().flatMap(step -> step.outcome().scenario().clients().stream()).distinct()
        .toList();
    boolean isBar = steps.size() == 1; // bars compare lengths, so their axis begins at 0
    List<Chart> charts = new ArrayList<>();
    for (Metric metric : steps.isEmpty() ? List.<Metric>of() : DRAWN) {
      List<Chart.Series> series = clients.stream().map(client -> new Chart.Series(client,
          steps.stream().map(step -> step.outcome().median(client, metric)).toList())).toList();
      charts.add(new Chart(metric.key() + " by max.poll.records, " + mode, isBar ? "bar" : "line",
          metric.key(), !isBar && haveLogarithms(series), names, series));
    }
    return charts;
  }

  /** Returns the size as a name, with the scenario's name if two scenarios have the same size. */
  private static String name(Step step, List<Step> all) {
    boolean isAlone = all.stream().filter(other -> other.size() == step.size()).count() == 1;
    return step.size() + (isAlone ? "" : ", " + step.outcome().scenario().name());
  }

  /** Returns true if a logarithmic axis can show all values: it cannot show 0. */
  private static boolean haveLogarithms(List<Chart.Series> series) {
    return series.stream().flatMap(each -> each.values().stream()).noneMatch(value -> value <= 0);
  }
}
