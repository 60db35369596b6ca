package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.AllocationSite;
import dev.decant.lab.report.AllocTable;
import dev.decant.lab.report.Chart;
import dev.decant.lab.scenario.Contender;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.scenario.ScenarioRun;
import dev.decant.testkit.ClusterException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code decant alloc}: the bytes that a million messages allocate. */
@Command(name = "alloc", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Tells what each thread allocates while a warm client sends a million messages and reads them back.",
    "It also tells how often the collector ran. Each sample makes three such trips and tells of the one that allocated"
        + " least: the cost of a message is in all of them. If a client allocates, one more run finds the places with"
        + " JFR, and the command prints them."})
final class AllocCommand implements Callable<Integer>, View {
  /**
   * Divisor of the number of messages while allocation sites of a client that allocates for each message are looked
   * for: every object is a sample then, which is slow.
   */
  private static final int SHARE = 4;
  private static final long MOST_RECORDS = 100_000_000;
  private static final int MOST_BYTES = 100_000;
  /** Number of trips into which the work divides its records. */
  private static final int TRIPS = 3;

  @Mixin
  private Measuring lab = new Measuring();

  @Option(names = "--records", paramLabel = "N", defaultValue = "1000000",
      description = "how many messages (default: 1000000)")
  private long records;

  @Option(names = "--record-size", paramLabel = "BYTES", defaultValue = "100",
      description = "length of a value (default: 100)")
  private int recordSize;

  @Option(names = "--clients", split = ",", paramLabel = "NAME", defaultValue = "decant,kafka-clients",
      description = "decant, kafka-clients (default: both); the first is held to the bars")
  private List<String> clients = List.of();

  private final Map<String, List<AllocationSite>> sites = new LinkedHashMap<>();

  @Override
  public Integer call() throws IOException {
    lab.check();
    lab.require(records >= 1 && records <= MOST_RECORDS,
        "--records must be 1 to " + MOST_RECORDS + ", not " + records);
    lab.require(recordSize >= 1 && recordSize <= MOST_BYTES,
        "--record-size must be 1 to " + MOST_BYTES + " bytes, not " + recordSize);
    lab.require(!clients.isEmpty() && List.of("decant", "kafka-clients").containsAll(clients),
        "--clients knows decant and kafka-clients, not " + clients);
    return lab.run(List.of(ScenarioCatalog.made("alloc", text())), this);
  }

  private String text() {
    return String.format(Locale.ROOT, """
        title = Sends %,d messages of %d bytes and reads them back, on one thread
        clients = %s
        work = there-and-back
        partitions = 6
        record.size = %d
        producer.linger.ms = 5
        producer.batch.size = 65536
        # so little that the warm-up fills it
        producer.buffer.memory = 8388608
        producer.acks = all
        producer.enable.idempotence = true
        records = %d
        warm-up = 4000000
        warm-up.quick = 2000000
        warm-up.seconds.quick = 60
        bar = produce_caller_bytes <= 0
        bar = produce_io_bytes <= 0
        bar = consume_caller_bytes <= 0
        bar = consume_io_bytes <= 0
        bar = collections <= 0
        """, records, recordSize, String.join(", ", clients.stream().distinct().toList()), recordSize, TRIPS * records);
  }

  @Override
  public String title() {
    return "alloc";
  }

  /** Looks for the allocation sites of each client that allocates in steady state. */
  @Override
  public void after(ScenarioRun run, List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      Scenario scenario = outcome.scenario();
      for (Contender contender : outcome.failure().isEmpty() ? scenario.contenders() : List.<Contender>of()) {
        double bytes = AllocTable.steadyBytes(outcome, contender.label());
        if (bytes > 0) {
          try {
            sites.put(contender.label(), run.sites(scenario, contender, bytes > records ? SHARE : 1));
          } catch (ClusterException e) {
            lab.tell("decant: the places where " + contender.label() + " allocates were not found: " + e.getMessage());
          }
        }
      }
    }
  }

  @Override
  public List<String> shown() {
    return Stream.concat(AllocTable.METRICS.stream(), Stream.of(Metric.COLLECTIONS)).map(Metric::key).toList();
  }

  @Override
  public String table(List<Outcome> outcomes) {
    return AllocTable.of(outcomes.getFirst(), records, sites);
  }

  @Override
  public List<Chart> charts(List<Outcome> outcomes) {
    List<Chart.Series> series = new ArrayList<>();
    for (Contender contender : outcomes.getFirst().scenario().contenders()) {
      series.add(new Chart.Series(contender.label(), AllocTable.METRICS.stream()
          .map(metric -> outcomes.getFirst().median(contender.label(), metric) / records).toList()));
    }
    return List.of(new Chart("allocated by thread", "bar", "bytes per message", false,
        AllocTable.METRICS.stream().map(Metric::key).toList(), series));
  }

  @Override
  public void describe(List<Outcome> outcomes, ObjectNode root) {
    ArrayNode found = root.putArray("allocation_sites");
    sites.forEach((client, places) -> places.forEach(site -> {
      ObjectNode node = found.addObject();
      node.put("client", client);
      node.put("way", site.way());
      node.put("thread", site.thread());
      node.put("type", site.type());
      node.put("bytes", site.bytes());
      site.frames().forEach(node.putArray("frames")::add);
    }));
  }
}
