package dev.decant.lab.capacity;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The JVM of the clients of one step. */
final class CapacityMain {
  private CapacityMain() {}

  /**
   * Measures a step when the parent requests it.
   *
   * @param arguments address of the cluster, name of the step, its size, and the seconds for which idle clients are
   *     watched
   */
  public static void main(String[] arguments) throws Exception {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      if (in.readLine() != null) {
        System.out.println("ok " + measured(arguments[0], arguments[1], Integer.parseInt(arguments[2]),
            Duration.ofSeconds(Integer.parseInt(arguments[3]))));
        in.readLine();
      }
    }
    System.exit(0);
  }

  private static String measured(String bootstrap, String step, int size, Duration idle) throws Exception {
    return switch (step) {
      case "metadata" -> ManyPartitions.metadata(bootstrap);
      case "produce" -> ManyPartitions.produce(bootstrap, size, idle);
      case "consume" -> ManyPartitions.consume(bootstrap, size, idle);
      case "group-classic" -> ManyMembers.join(bootstrap, size, false, idle);
      case "group-consumer" -> ManyMembers.join(bootstrap, size, true, idle);
      default -> throw new IllegalArgumentException(step);
    };
  }
}
