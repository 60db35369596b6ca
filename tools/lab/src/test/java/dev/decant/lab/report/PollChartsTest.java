package dev.decant.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.lab.driver.Measured;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.stress.Sample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PollChartsTest {
  private static final String DRAINED = "work = consume\ntopic.records = 1000\nrecords = 1000\n";
  private static final String PACED = "work = tail\nfeed.rate = 10\nseconds = 1\n";

  /**
   * Returns an outcome in which Decant takes that many milliseconds of the processor for a record, and the peer ten
   * times as many.
   */
  private static Outcome outcome(String name, String work, double cpuMillis) {
    Scenario scenario = ScenarioCatalog.made(name, "title = T\nclients = decant, kafka-clients\n" + work);
    List<Sample> samples = new ArrayList<>();
    for (String client : scenario.clients()) {
      int factor = client.equals("decant") ? 1 : 10;
      Measured measured = new Measured(1000, 7, 0.5, cpuMillis * factor, 0, factor == 1 ? 0 : 64_000, 0, 0,
          Collections.nCopies(Measured.PERCENTILES.size(), 12.0), List.of(100L), 100,
          Map.of("switches_per_record", 0.25));
      samples.add(new Sample(name, 100, client, 1000, 1000, measured));
    }
    return new Outcome(scenario, samples, "");
  }

  private static Outcome polls(String name, String work, int size, double cpuMillis) {
    return outcome(name, work + "consumer.max.poll.records = " + size + "\n", cpuMillis);
  }

  private static Chart of(String title, List<Outcome> outcomes) {
    return PollCharts.of(outcomes).stream().filter(chart -> chart.title().equals(title)).findFirst().orElseThrow();
  }

  @Test
  void eachClientHasALineOverTheSizesOfItsPolls() {
    List<Outcome> outcomes = List.of(polls("poll-5", DRAINED, 5, 2), outcome("consume-100", DRAINED, 7),
        polls("poll-500", DRAINED, 500, 1), polls("poll-1", DRAINED, 1, 4), polls("paced-5", PACED, 5, 3));

    Chart chart = of("cpu_us_per_record by max.poll.records, drained", outcomes);

    assertThat(chart.kind()).isEqualTo("line");
    assertThat(chart.logarithmic()).isTrue();
    assertThat(chart.steps()).containsExactly("1", "5", "500");
    assertThat(chart.series()).containsExactly(new Chart.Series("decant", List.of(4000.0, 2000.0, 1000.0)),
        new Chart.Series("kafka-clients", List.of(40_000.0, 20_000.0, 10_000.0)));
  }

  @Test
  void oneSizeIsAGroupOfBars() {
    Chart chart = of("cpu_us_per_record by max.poll.records, paced", List.of(polls("consume-paced", PACED, 5, 3)));

    assertThat(chart.kind()).isEqualTo("bar");
    assertThat(chart.logarithmic()).as("a bar that does not begin at 0 has no length").isFalse();
    assertThat(chart.steps()).containsExactly("5");
    assertThat(chart.series()).containsExactly(new Chart.Series("decant", List.of(3000.0)),
        new Chart.Series("kafka-clients", List.of(30_000.0)));
  }

  /** A logarithmic axis has no place for 0: the line of a client that allocates nothing was invisible. */
  @Test
  void nothingAllocatedIsStillSeen() {
    Chart chart = of("bytes_per_record by max.poll.records, drained",
        List.of(polls("poll-1", DRAINED, 1, 4), polls("poll-5", DRAINED, 5, 2)));

    assertThat(chart.logarithmic()).isFalse();
    assertThat(chart.series()).containsExactly(new Chart.Series("decant", List.of(0.0, 0.0)),
        new Chart.Series("kafka-clients", List.of(64.0, 64.0)));
  }

  @Test
  void whatFailedLeavesAGap() {
    Outcome failed = new Outcome(polls("poll-5", DRAINED, 5, 2).scenario(), List.of(), "no broker");

    Chart chart = of("cpu_us_per_record by max.poll.records, drained", List.of(polls("poll-1", DRAINED, 1, 4), failed));

    assertThat(chart.toJson().at("/series/0/values").toString()).isEqualTo("[4000.0,null]");
  }

  @Test
  void twoScenariosOfOneSizeAreToldApart() {
    Chart chart = of("cpu_us_per_record by max.poll.records, drained",
        List.of(polls("mine", DRAINED, 5, 4), polls("poll-5", DRAINED, 5, 2)));

    assertThat(chart.steps()).containsExactly("5, mine", "5, poll-5");
  }

  @Test
  void scenariosThatDoNotSetTheSizeAreNotDrawn() {
    assertThat(PollCharts.of(List.of(outcome("consume-100", DRAINED, 7)))).isEmpty();
  }
}
