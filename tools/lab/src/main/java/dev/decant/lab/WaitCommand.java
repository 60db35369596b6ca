package dev.decant.lab;

import dev.decant.lab.driver.Measured;
import dev.decant.lab.report.Chart;
import dev.decant.lab.report.ScenarioTable;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.ScenarioCatalog;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code decant wait}: the time for which a caller still waits after the client knows the result. */
@Command(name = "wait", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Sends one record after another, each waited for, and tells how long that takes.",
    "It also tells how much of that is wait waste: from when the client's code for the network knows the result until"
        + " the caller runs again. Beside both clients stand callers of kafka-clients that look at the future every"
        + " 100 ms, or every 10 ms."})
final class WaitCommand implements Callable<Integer>, View {
  private static final String TEXT = """
      title = One thread sends a 100-byte record, waits for its acknowledgement, and sends the next
      clients = decant, kafka-clients, kafka-clients-100ms, kafka-clients-10ms
      work = send-and-wait
      # more would be asked about in turns, which is the same
      partitions = 1
      record.size = 100
      producer.linger.ms = 0
      producer.acks = 1
      producer.enable.idempotence = false
      # in the warm-up all wait for the future
      wait.poll.ms @ kafka-clients-100ms = 100
      wait.poll.ms @ kafka-clients-10ms = 10
      seconds = 20
      seconds.quick = 3
      seconds @ kafka-clients-100ms = 100
      seconds.quick @ kafka-clients-100ms = 6
      warm-up = 60000
      warm-up.quick = 30000
      warm-up.seconds.quick = 10
      bar = wait_waste_p99_us <= 20
      bar = wait_waste_p50_us <= 1/1000 of kafka-clients-100ms
      """;

  @Mixin
  private Measuring lab = new Measuring();

  @Override
  public Integer call() throws IOException {
    lab.check();
    return lab.run(List.of(ScenarioCatalog.made("wait", TEXT)), this);
  }

  @Override
  public String title() {
    return "wait";
  }

  @Override
  public List<String> shown() {
    return Stream
        .of(Metric.P50_US, Metric.P99_US, Metric.WAIT_WASTE_P50_US, Metric.WAIT_WASTE_P99_US, Metric.CPU_US_PER_RECORD,
            Metric.SWITCHES_PER_RECORD)
        .map(Metric::key)
        .toList();
  }

  @Override
  public String table(List<Outcome> outcomes) {
    return ScenarioTable.of(outcomes) + "ms_per_1000 is the time that 1,000 records take one after another, as measured"
        + " of those that were sent.\n";
  }

  @Override
  public List<Chart> charts(List<Outcome> outcomes) {
    Outcome outcome = outcomes.getFirst();
    List<String> steps = Measured.PERCENTILES.stream().map(percentile -> percentile == 100 ? "max" : percentile + " %")
        .toList();
    List<Chart.Series> waste = outcome.scenario().clients().stream()
        .map(client -> new Chart.Series(client, Measured.PERCENTILES.stream()
            .map(percentile -> outcome.figure(client, Measured.wasteAt(percentile))).toList()))
        .toList();
    List<Chart.Series> whole = outcome.scenario().clients().stream()
        .map(client -> new Chart.Series(client, Measured.PERCENTILES.stream()
            .map(percentile -> outcome.latencyMicros(client, percentile)).toList()))
        .toList();
    List<Chart.Series> total = outcome.scenario().clients().stream()
        .map(client -> new Chart.Series(client, List.of(outcome.median(client, Metric.MS_PER_1000)))).toList();
    return List.of(new Chart("wait waste by percentile", "line", "µs", true, steps, waste),
        new Chart("the whole by percentile", "line", "µs", true, steps, whole),
        new Chart("1,000 records one after another", "bar", "ms", true, List.of("total"), total));
  }
}
