package dev.decant.lab.capacity;

import dev.decant.testkit.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A run of all steps, each with three sizes. Ratios between the sizes show costs that grow faster than the size. */
public final class Capacity {
  static final int PARTITIONS_OF_A_TOPIC = 100;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final List<String> FLAGS = List.of("-XX:+UseG1GC", "-XX:-UseDynamicNumberOfCompilerThreads",
      "-Xss512k");

  /**
   * A step of the run.
   *
   * @param name name that {@link CapacityMain} knows
   * @param unit unit of the size
   * @param sizes three sizes, or fewer if some are equal; the last one is the size that the user asked for
   */
  public record Step(String name, String unit, List<Integer> sizes) {}

  /**
   * The figures of a step with one size.
   *
   * @param step the step
   * @param size the size
   * @param figures figures by name
   */
  public record Row(Step step, int size, Map<String, Double> figures) {}

  private final int brokers;
  private final int partitions;
  private final int members;
  private final int idleSeconds;

  /**
   * Prepares a run.
   *
   * @param brokers number of brokers in the cluster
   * @param partitions number of partitions in the cluster, in topics of 100
   * @param members number of members in the largest group
   * @param idleSeconds time for which idle clients are watched
   */
  public Capacity(int brokers, int partitions, int members, int idleSeconds) {
    this.brokers = brokers;
    this.partitions = partitions;
    this.members = members;
    this.idleSeconds = idleSeconds;
  }

  /** Returns the steps in their order. */
  public List<Step> steps() {
    return List.of(
        new Step("metadata", "partitions of the cluster", thirds(partitions)),
        new Step("produce", "partitions written", thirds(Math.min(10_000, partitions))),
        new Step("consume", "partitions read", thirds(Math.min(5_000, partitions))),
        new Step("group-classic", "members", thirds(members)),
        new Step("group-consumer", "members", thirds(members)));
  }

  private static List<Integer> thirds(int most) {
    return Stream.of(Math.max(1, most / 100), Math.max(1, most / 10), most).distinct().toList();
  }

  /**
   * Runs all steps.
   *
   * @param rows takes each row when it is measured
   * @throws IOException if no log can be written
   */
  public void run(Consumer<Row> rows) throws IOException {
    Path log = Files.createTempFile("decant-capacity", ".log");
    for (Step step : steps()) {
      for (int size : step.sizes()) {
        int inCluster = switch (step.name()) {
          case "metadata" -> size;
          case "produce", "consume" -> partitions;
          default -> Math.max(size, PARTITIONS_OF_A_TOPIC);
        };
        rows.accept(new Row(step, size, measured(step, size, inCluster, log)));
      }
    }
    Files.delete(log);
  }

  private Map<String, Double> measured(Step step, int size, int inCluster, Path log) {
    int ofATopic = step.name().startsWith("group") ? inCluster : Math.min(inCluster, PARTITIONS_OF_A_TOPIC);
    int topics = (inCluster + ofATopic - 1) / ofATopic;
    ChildJvm fleet = ChildJvm.start("the fake cluster",
        arguments("-Xmx4g", FleetMain.class, brokers + "", topics + "", ofATopic + ""), log);
    try {
      String bootstrap = fleet.ask("where", PATIENCE).split(",", 2)[0];
      ChildJvm client = ChildJvm.start(step.name() + " " + size,
          arguments("-Xmx2g", CapacityMain.class, bootstrap, step.name(), size + "", idleSeconds + ""), log);
      try {
        return figures(client.ask("run", PATIENCE));
      } finally {
        client.end();
      }
    } finally {
      fleet.end();
    }
  }

  private static Map<String, Double> figures(String line) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (String figure : line.split(" ", -1)) {
      int equals = figure.indexOf('=');
      figures.put(figure.substring(0, equals), Double.valueOf(figure.substring(equals + 1)));
    }
    return figures;
  }

  private static List<String> arguments(String heap, Class<?> main, String... ownArguments) {
    List<String> all = new ArrayList<>(FLAGS);
    all.add(heap);
    all.addAll(List.of("-cp", System.getProperty("java.class.path").replace(File.pathSeparator + File.pathSeparator,
        File.pathSeparator), main.getName()));
    all.addAll(List.of(ownArguments));
    return all;
  }

  static String topic(int number) {
    return "capacity-" + number;
  }
}
