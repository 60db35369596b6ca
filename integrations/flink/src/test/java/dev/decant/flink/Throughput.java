package dev.decant.flink;

import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.KafkaCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares a job's sink and source on Apache's client and on Decant's: records a second and CPU of the whole process
 * per record, each sample in a fresh JVM, in the order A-B-B-A. A third job without a client is the control: what a
 * client costs is the difference to it. The source is Flink's own; {@code decant-agent-all} puts Decant under it.
 *
 * <p>It is a command: build with {@code mvn -B -DskipTests package}, then run the main class with the test class path
 * of this module. Its arguments are the jar of the agent and, if wanted, the number of records, and {@code once} for
 * one sample of each.
 */
final class Throughput {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final List<String> JVM = List.of("-Xmx1g", "-XX:MaxDirectMemorySize=512m", "-XX:+UseG1GC",
      "--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED");

  private final KafkaCluster kafka = KafkaCluster.start();
  private final Path log = Files.createTempFile("throughput", ".log");
  private final Map<String, List<String[]>> samples = new TreeMap<>();

  private Throughput() throws Exception {}

  public static void main(String[] arguments) throws Exception {
    String agent = "-javaagent:" + arguments[0];
    long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : 3_000_000;
    boolean once = arguments.length > 2 && arguments[2].equals("once");
    Throughput run = new Throughput();
    try {
      run.kafka.createTopic("written", ThroughputJvm.PARTITIONS);
      for (String job : once
          ? List.of("none", "apache", "decant")
          : List.of("none", "apache", "decant", "decant", "apache", "none")) {
        run.sample("sink " + job, List.of(), "written", job, count);
      }
      run.kafka.createTopic("read", ThroughputJvm.PARTITIONS);
      run.sample("fill", List.of(), "read", "decant", count / 3); // three times so many
      for (String client : once
          ? List.of("none", "apache", "decant")
          : List.of("none", "apache", "decant", "decant", "apache", "none")) {
        run.sample("source " + client, client.equals("decant") ? List.of(agent) : List.of(), "read",
            client.equals("none") ? "no source" : "source", count / 3 * 3);
      }
      run.print();
    } finally {
      run.kafka.close();
    }
  }

  private void sample(String name, List<String> flags, String topic, String job, long count) {
    List<String> command = new ArrayList<>(JVM);
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), ThroughputJvm.class.getName(),
        kafka.bootstrap(), topic, job, Long.toString(count)));
    ChildJvm jvm = ChildJvm.start(name, command, log);
    try {
      String line = jvm.ask("", PATIENCE);
      System.out.println(name + ": " + line);
      samples.computeIfAbsent(name, key -> new ArrayList<>()).add(line.split(" ", -1));
    } finally {
      jvm.end();
    }
  }

  private void print() {
    System.out.println("job             records/s   CPU us   JIT ms");
    samples.forEach((name, all) -> all.stream().min(Comparator.comparingDouble(sample -> Double.parseDouble(sample[1])))
        .ifPresent(best -> System.out.printf("%-14s %10s %8s %8s%n", name, best[0], best[1], best[2])));
  }
}
