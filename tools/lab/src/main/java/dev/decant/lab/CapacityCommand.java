package dev.decant.lab;

import dev.decant.lab.capacity.Capacity;
import dev.decant.lab.capacity.CapacityTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code decant capacity}: the cost of a client with many brokers, partitions and members. */
@Command(name = "capacity", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Measures what Decant takes beside many brokers, partitions and group members, on a fake cluster of that size.",
    "Each step runs with a hundredth, a tenth and the whole of its size: what grows faster than the size shows. The"
        + " cluster has a JVM of its own, and so have the clients of each step. Needs no broker, and about 6 GB of"
        + " memory with the default sizes."})
final class CapacityCommand implements Callable<Integer> {
  private static final int MOST_BROKERS = 1_000;
  private static final int MOST_PARTITIONS = 200_000;
  private static final int MOST_MEMBERS = 10_000;
  private static final int MOST_IDLE_SECONDS = 600;

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--brokers", paramLabel = "N", description = "of the cluster (default: 100)")
  private int brokers = 100;

  @Option(names = "--partitions", paramLabel = "N",
      description = "of the cluster, in topics of 100; 10,000 of them are written, and 5,000 read (default: 100000)")
  private int partitions = 100_000;

  @Option(names = "--members", paramLabel = "N", description = "of the largest group (default: 2000)")
  private int members = 2_000;

  @Option(names = "--idle", paramLabel = "SECONDS",
      description = "how long clients are watched that have nothing to do (default: 10)")
  private int idleSeconds = 10;

  @Override
  public Integer call() throws IOException {
    requireRange("--brokers", brokers, MOST_BROKERS);
    requireRange("--partitions", partitions, MOST_PARTITIONS);
    requireRange("--members", members, MOST_MEMBERS);
    requireRange("--idle", idleSeconds, MOST_IDLE_SECONDS);
    PrintWriter screen = spec.commandLine().getOut();
    CapacityTable table = new CapacityTable();
    new Capacity(brokers, partitions, members, idleSeconds).run(row -> {
      screen.print(table.add(row));
      screen.flush();
    });
    return 0;
  }

  private void requireRange(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(spec.commandLine(), option + ": " + value + " is not in 1.." + most);
    }
  }
}
