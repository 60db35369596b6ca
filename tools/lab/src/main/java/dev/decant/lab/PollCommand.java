package dev.decant.lab;

import dev.decant.lab.report.PollTable;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code decant poll}: the cost of small polls. */
@Command(name = "poll", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Measures polls that hand out at most 1, 5, 50 or 500 records.",
    "Decant stands beside both protocols of kafka-clients. Drained polls read a topic that is there already, and paced"
        + " polls read records that come one by one. The command tells processor time, context switches and allocation"
        + " per record."})
final class PollCommand implements Callable<Integer>, View {
  private static final String DRAINED = "drained";
  /** Polls of this size or less take long to read a topic. */
  private static final int FEW = 10;
  private static final String PACED = "paced";

  @Mixin
  private Measuring lab = new Measuring();

  @Option(names = "--sizes", split = ",", paramLabel = "N",
      description = "max.poll.records (default: 1,5,50,500; with --quick 5,500, and 5 if paced)")
  private List<Integer> sizes = List.of();

  @Option(names = "--modes", split = ",", paramLabel = "NAME", defaultValue = "drained,paced",
      description = "drained, paced (default: both)")
  private List<String> modes = List.of();

  @Option(names = "--feed-rate", paramLabel = "N", defaultValue = "5000",
      description = "records per second that come, if paced (default: 5000)")
  private int feedRate;

  @Override
  public Integer call() throws IOException {
    lab.check();
    lab.require(sizes.stream().allMatch(size -> size >= 1 && size <= 100_000),
        "--sizes must be 1 to 100000 records, not " + sizes);
    lab.require(Set.of(DRAINED, PACED).containsAll(modes), "--modes knows drained and paced, not " + modes);
    lab.require(feedRate >= 1 && feedRate <= 1_000_000, "--feed-rate must be 1 to 1000000, not " + feedRate);
    List<Scenario> scenarios = new ArrayList<>();
    for (String mode : modes.stream().distinct().toList()) {
      for (int size : sizes.isEmpty() ? defaultSizes(mode) : sizes.stream().distinct().toList()) {
        scenarios.add(ScenarioCatalog.made(mode + "-" + size, mode.equals(DRAINED) ? drained(size) : paced(size)));
      }
    }
    return lab.run(scenarios, this);
  }

  private List<Integer> defaultSizes(String mode) {
    if (!lab.isQuick()) {
      return List.of(1, 5, 50, 500);
    }
    return mode.equals(PACED) ? List.of(5) : List.of(5, 500);
  }

  private static String common(String title) {
    return """
        title = %s
        # each is the only member of a group
        clients = decant, kafka-clients-consumer, kafka-clients-classic
        consumer.group.protocol @ decant = consumer
        consumer.group.protocol @ kafka-clients-consumer = consumer
        consumer.group.protocol @ kafka-clients-classic = classic
        partitions = 6
        record.size = 100
        """.formatted(title);
  }

  /** Returns the scenario of a drained topic. A quick run reads fewer records with small polls, which take longer. */
  static String drained(int size) {
    return common("Reads a topic of 100-byte records with polls that hand out at most " + size)
        + String.format(Locale.ROOT, """
            work = consume
            consumer.max.poll.records = %d
            # at the end of the topic a fetch waits so long, and only then the next pass begins
            consumer.fetch.max.wait.ms = 10
            topic.records = 1000000
            topic.records.quick = %d
            records = 4000000
            records.quick = %d
            warm-up = 4000000
            warm-up.quick = 400000
            warm-up.seconds.quick = 3
            """, size, size < FEW ? 100_000 : 200_000, size < FEW ? 200_000 : 1_000_000);
  }

  private String paced(int size) {
    return common("Reads 100-byte records as they come, with polls that hand out at most " + size)
        + String.format(Locale.ROOT, """
            work = tail
            consumer.max.poll.records = %d
            # another JVM writes, always with Decant's producer
            feed.rate = %d
            producer.linger.ms = 0
            producer.acks = 1
            producer.enable.idempotence = false
            seconds = 20
            seconds.quick = 2
            warm-up = %d
            warm-up.quick = %d
            warm-up.seconds.quick = 6
            """, size, feedRate, 8L * feedRate, feedRate);
  }

  @Override
  public String title() {
    return "poll";
  }

  @Override
  public List<String> shown() {
    return Stream
        .of(Metric.RECORDS_PER_S, Metric.CPU_US_PER_RECORD, Metric.SWITCHES_PER_RECORD, Metric.BYTES_PER_RECORD,
            Metric.P50_US, Metric.P99_US)
        .map(Metric::key)
        .toList();
  }

  @Override
  public String table(List<Outcome> outcomes) {
    return PollTable.of(outcomes);
  }
}
