package dev.decant.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** Checks that threads fit the processors: collector threads, and the carriers of virtual threads. */
final class ProcessorRules {
  private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
  private static final String MAX_POOL_SIZE = "jdk.virtualThreadScheduler.maxPoolSize";
  private static final String POLLER_MODE = "jdk.pollerMode";

  private ProcessorRules() {}

  static void check(RuntimeProbes probes, Workload workload, List<Finding> to) {
    OptionalInt carriers = carriersAskedFor(probes);
    quota(probes, carriers, to);
    if (carriers.isPresent()) {
      carriers(probes, carriers.getAsInt(), to);
    }
    boolean lowered = carriers.isPresent() && carriers.getAsInt() < probes.processors();
    if (pollersAreVirtual(probes) && (workload.virtualThreads() || lowered)) {
      to.add(pollers(probes));
    }
  }

  private static void quota(RuntimeProbes probes, OptionalInt carriers, List<Finding> to) {
    if (probes.containerCpus().isEmpty()) {
      return;
    }
    double cpus = probes.containerCpus().getAsDouble();
    int whole = (int) Math.max(1, Math.ceil(cpus));
    List<String> counts = new ArrayList<>();
    List<String> cures = new ArrayList<>();
    if (probes.processors() > whole) {
      counts.add("the JVM counts with " + probes.processors() + " processors");
      cures.add("-XX:ActiveProcessorCount=" + whole);
    }
    for (String threads : new String[] {"ParallelGCThreads", "ConcGCThreads"}) {
      long count = Reading.number(probes, threads);
      if (count > whole) {
        counts.add(threads + " is " + count);
        cures.add("-XX:" + threads + "=" + whole);
      }
    }
    if (carriers.isPresent() && carriers.getAsInt() > whole) {
      counts.add("there are " + carriers.getAsInt() + " carrier threads");
      cures.add("-D" + PARALLELISM + "=" + whole);
    }
    if (!counts.isEmpty()) {
      to.add(Finding.warning("cpu.quota",
          String.format(Locale.ROOT, "the container may use %.2f processors, but ", cpus) + String.join(", ", counts),
          "threads that run at once use up the quota early in each period, and then all of them stand still",
          String.join(" ", cures) + ", or a higher limit"));
    }
  }

  private static void carriers(RuntimeProbes probes, int carriers, List<Finding> to) {
    int processors = probes.processors();
    if (carriers > processors) {
      to.add(Finding.info("carriers.many",
          "there are " + carriers + " carrier threads (-D" + PARALLELISM + ") on " + processors + " processors",
          "carriers take the processors from each other and from I/O threads", "-D" + PARALLELISM + "=" + processors));
    } else if (carriers < processors) {
      to.add(Finding.warning("carriers.few",
          "virtual threads have " + carriers + " of " + processors + " processors (-D" + PARALLELISM + " or "
              + MAX_POOL_SIZE + ")",
          "virtual threads that compute hold up all others; with 1 carrier on 2 processors we measured connections that"
              + " waited for up to 1 s",
          "-D" + PARALLELISM + "=" + processors + ", which is the default"));
    }
  }

  /**
   * Reports pollers that share carriers with work that computes. Its figures compare light and CPU-bound requests on
   * virtual threads: p99 of the light ones, and the throughput of a plain echo.
   */
  private static Finding pollers(RuntimeProbes probes) {
    return Finding.info("carriers.pollers",
        "the threads that wait for sockets on behalf of virtual threads are virtual themselves (-D" + POLLER_MODE
            + "=" + probes.property(POLLER_MODE).orElse("2, the default") + ") and run on the carriers",
        "work that computes on virtual threads starves them: on 2 processors we measured the p99 of light requests grow"
            + " from 18 ms to 54 ms; a lower priority of the carriers made it worse, fewer halved the work done",
        "-D" + POLLER_MODE + "=1, which makes them platform threads; it cost an eighth of the throughput of a plain"
            + " echo, so only where virtual threads compute (decant carriers measures that on any machine)");
  }

  /** Returns true if pollers are virtual threads: the default on Linux only. */
  private static boolean pollersAreVirtual(RuntimeProbes probes) {
    String mode = Reading.property(probes, POLLER_MODE);
    return mode.isEmpty()
        ? Reading.property(probes, "os.name").equals("Linux")
        : mode.equals("2") || mode.equalsIgnoreCase("VTHREAD_POLLERS");
  }

  /** Returns the configured number of carriers; empty for the JVM's default, one per processor. */
  private static OptionalInt carriersAskedFor(RuntimeProbes probes) {
    OptionalInt parallelism = number(probes, PARALLELISM);
    OptionalInt maxPoolSize = number(probes, MAX_POOL_SIZE);
    if (maxPoolSize.isEmpty()) {
      return parallelism;
    }
    int wanted = parallelism.orElse(probes.processors());
    return wanted <= maxPoolSize.getAsInt() && parallelism.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(Math.min(wanted, maxPoolSize.getAsInt()));
  }

  private static OptionalInt number(RuntimeProbes probes, String property) {
    try {
      String text = Reading.property(probes, property);
      return text.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
    } catch (NumberFormatException e) { // the JVM itself reports it when the first virtual thread starts
      return OptionalInt.empty();
    }
  }
}
