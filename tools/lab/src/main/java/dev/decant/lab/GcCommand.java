package dev.decant.lab;

import dev.decant.lab.report.Chart;
import dev.decant.lab.report.GcTable;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code decant gc}: the same work under several collectors. */
@Command(name = "gc", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Has clients do the same work under several collectors, and under flags of your own.",
    "It tells collections, pauses, allocation, throughput and how that varies, and the longest latency. It also tells"
        + " what one gains by going from one configuration to another."})
final class GcCommand implements Callable<Integer>, View {
  private static final Map<String, String> COLLECTORS = collectors();
  private static final List<String> USUAL_IMPROVEMENT = List.of("kafka-clients-g1", "decant-g1");
  private static final String USUAL = """
      work = produce
      partitions = 6
      record.size = 100
      producer.linger.ms = 5
      producer.batch.size = 65536
      producer.acks = all
      producer.enable.idempotence = true
      seconds = 20
      seconds.quick = 2
      warm-up = 6000000
      warm-up.quick = 800000
      warm-up.seconds.quick = 3
      """;

  @Mixin
  private Measuring lab = new Measuring();

  @Option(names = "--clients", split = ",", paramLabel = "NAME", defaultValue = "decant,kafka-clients",
      description = "decant, kafka-clients (default: both)")
  private List<String> clients = List.of();

  @Option(names = "--collectors", split = ",", paramLabel = "NAME", defaultValue = "serial,parallel,g1,zgc",
      description = "serial, parallel, g1, zgc (default: all)")
  private List<String> collectors = List.of();

  @Option(names = "--flags", paramLabel = "NAME=FLAGS",
      description = "a configuration of your own, such as 'young=-XX:+UseSerialGC -Xmn300m'; may be repeated")
  private Map<String, String> flags = new LinkedHashMap<>();

  @Option(names = "--scenario", paramLabel = "NAME",
      description = "the work of this scenario (default: sends 100-byte records without waiting)")
  private @Nullable String scenario;

  @Option(names = "--improvement", split = ",", paramLabel = "FROM,TO",
      description = "two configurations (default: kafka-clients-g1,decant-g1 if both are there, else first and last)")
  private List<String> improvement = List.of();

  private static Map<String, String> collectors() {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("serial", "-XX:+UseSerialGC");
    flags.put("parallel", "-XX:+UseParallelGC");
    flags.put("g1", "-XX:+UseG1GC");
    flags.put("zgc", "-XX:+UseZGC");
    return flags;
  }

  @Override
  public Integer call() throws IOException {
    lab.check();
    lab.require(!clients.isEmpty() && List.of("decant", "kafka-clients").containsAll(clients),
        "--clients knows decant and kafka-clients, not " + clients);
    lab.require(COLLECTORS.keySet().containsAll(collectors),
        "--collectors knows " + String.join(", ", COLLECTORS.keySet()) + ", not " + collectors);
    for (String name : flags.keySet()) {
      lab.require(name.matches("[a-z0-9-]+") && !COLLECTORS.containsKey(name),
          "--flags: \"" + name + "\" must be a name of small letters, digits and hyphens, and not a collector's");
    }
    Scenario made = lab.reading(() -> ScenarioCatalog.made("gc", text()));
    if (improvement.isEmpty()) {
      improvement = made.clients().containsAll(USUAL_IMPROVEMENT)
          ? USUAL_IMPROVEMENT
          : List.of(made.clients().getFirst(), made.clients().getLast());
    }
    lab.require(improvement.size() == 2 && made.clients().containsAll(improvement),
        "--improvement must be two of " + String.join(", ", made.clients()) + ", not " + improvement);
    return lab.run(List.of(made), this);
  }

  private String text() {
    Map<String, String> configurations = new LinkedHashMap<>();
    collectors.forEach(name -> configurations.put(name, COLLECTORS.getOrDefault(name, "")));
    configurations.putAll(flags);
    String title = "Sends 100-byte records without waiting";
    String work = USUAL;
    String common = "";
    if (scenario != null) {
      Scenario base = ScenarioCatalog.named(scenario);
      title = base.title();
      work = base.commonLines();
      common = base.contenders().getFirst().settings().getOrDefault("jvm", "") + " ";
    }
    List<String> labels = new ArrayList<>();
    StringBuilder own = new StringBuilder();
    for (String client : clients.stream().distinct().toList()) {
      for (Map.Entry<String, String> each : configurations.entrySet()) {
        String label = client + "-" + each.getKey();
        labels.add(label);
        own.append("jvm @ ").append(label).append(" = ").append(common).append(each.getValue()).append('\n');
      }
    }
    return "title = " + title + ", under several collectors\nclients = " + String.join(", ", labels) + "\n" + work
        + own;
  }

  @Override
  public String title() {
    return "gc";
  }

  @Override
  public List<String> shown() {
    return Stream
        .of(Metric.RECORDS_PER_S, Metric.CPU_US_PER_RECORD, Metric.YOUNG_COLLECTIONS, Metric.OLD_COLLECTIONS,
            Metric.PAUSE_MS, Metric.MAX_US)
        .map(Metric::key)
        .toList();
  }

  @Override
  public String table(List<Outcome> outcomes) {
    return GcTable.of(outcomes.getFirst(), improvement.getFirst(), improvement.getLast());
  }

  @Override
  public List<Chart> charts(List<Outcome> outcomes) {
    Outcome outcome = outcomes.getFirst();
    List<Chart> charts = new ArrayList<>();
    for (Metric metric : List.of(Metric.PAUSE_MS, Metric.YOUNG_COLLECTIONS, Metric.OLD_COLLECTIONS, Metric.MAX_US)) {
      charts.add(new Chart(metric.key(), "bar", metric.key(), metric == Metric.MAX_US, outcome.scenario().clients(),
          List.of(new Chart.Series(metric.key(),
              outcome.scenario().clients().stream().map(client -> outcome.median(client, metric)).toList()))));
    }
    return charts;
  }
}
