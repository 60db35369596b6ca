package dev.decant.jmh;

import com.sun.management.ThreadMXBean;
import dev.decant.idle.IdleStrategy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * Synchronous round trips of 150 bytes over a loopback socket: the event loop with each idle strategy, driven by the
 * waiting thread or by its I/O thread, beside bare channels that block or spin. All take turns, there and back. A
 * command of its own, since JMH counts neither processor time by thread nor context switches. Its class path is that of
 * {@link BufferAccessBenchmark}, its main class this one. With {@code taskset -c 0} both ends share a processor, and
 * what would spin is left out or blocks.
 *
 * <p>Linux only: context switches are read from {@code /proc}.
 */
public final class RoundTrips {
  private static final int WARM_UP = 50_000;
  private static final int MEASURED = 30_000;
  private static final int TURNS = 3;
  private static final boolean MAY_SPIN = Runtime.getRuntime().availableProcessors() > 1;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private record Sample(double p50, double p99, double cpu, double switches, double bytes) {}

  /** Opens one way anew: an echo that spins would take a processor from the others. */
  private interface Opening {
    Trips open() throws IOException, InterruptedException;
  }

  /** One way, and what was measured of it. */
  private static final class Contender {
    final String name;
    final boolean isLimit;
    final Opening opening;
    final List<Sample> samples = new ArrayList<>();

    Contender(String name, boolean isLimit, Opening opening) {
      this.name = name;
      this.isLimit = isLimit;
      this.opening = opening;
    }

    double median(ToDoubleFunction<Sample> figure) {
      double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
      return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
  }

  private RoundTrips() {}

  private static List<Contender> contenders() {
    IdleStrategy block = IdleStrategy.block();
    IdleStrategy spin = IdleStrategy.spin();
    IdleStrategy some = IdleStrategy.spinThenBlock(Duration.ofNanos(50_000));
    List<Contender> all = new ArrayList<>();
    all.add(new Contender("channels, block", true, () -> new BareTrips(false)));
    all.add(new Contender("waiter drives, block", false, () -> new LoopTrips(block, true, false)));
    all.add(new Contender("I/O thread, block", false, () -> new LoopTrips(block, false, false)));
    if (MAY_SPIN) {
      all.add(new Contender("channels, spin", true, () -> new BareTrips(true)));
    }
    all.add(new Contender("waiter drives, spin", false, () -> new LoopTrips(spin, true, MAY_SPIN)));
    all.add(new Contender("waiter drives, spin 50 us", false, () -> new LoopTrips(some, true, MAY_SPIN)));
    return all;
  }

  /** Threads whose cost counts: not the echo, the collector or the compiler. */
  private static boolean counts(String thread) {
    return thread.equals("waiter") || thread.startsWith("decant");
  }

  private static long contextSwitches() throws IOException {
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        if (counts(Files.readString(task.resolve("comm")).strip())) {
          for (String line : Files.readAllLines(task.resolve("status"))) {
            if (line.contains("ctxt_switches")) {
              sum += Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
            }
          }
        }
      }
    }
    return sum;
  }

  private static long[] countedThreads() {
    return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
        .filter(info -> info != null && counts(info.getThreadName())).mapToLong(ThreadInfo::getThreadId).toArray();
  }

  private static long cpuNanos(long[] threads) {
    return Arrays.stream(threads).map(THREADS::getThreadCpuTime).filter(nanos -> nanos > 0).sum();
  }

  private static long allocated(long[] threads) {
    return Arrays.stream(THREADS.getThreadAllocatedBytes(threads)).filter(bytes -> bytes > 0).sum();
  }

  private static void run(Trips trips, int count, Histogram nanos) throws IOException, InterruptedException {
    for (int i = 0; i < count; i++) {
      long started = System.nanoTime();
      trips.trip();
      nanos.recordValue(System.nanoTime() - started);
    }
  }

  private static Sample measure(Trips trips) throws IOException, InterruptedException {
    Histogram nanos = new Histogram(TimeUnit.SECONDS.toNanos(20), 3);
    run(trips, MEASURED / 10, nanos);
    nanos.reset();
    long[] threads = countedThreads();
    // What a look at the figures allocates itself, so that it can be taken off.
    long before = allocated(threads);
    long ofLook = allocated(threads) - before;
    long switches = contextSwitches();
    long cpu = cpuNanos(threads);
    long bytes = allocated(threads);
    run(trips, MEASURED, nanos);
    bytes = allocated(threads) - bytes - ofLook;
    cpu = cpuNanos(threads) - cpu;
    switches = contextSwitches() - switches;
    return new Sample(nanos.getValueAtPercentile(50) / 1e3, nanos.getValueAtPercentile(99) / 1e3,
        cpu / 1e3 / MEASURED, switches / (double) MEASURED, Math.max(0, bytes) / (double) MEASURED);
  }

  private static void print(String name, Sample sample) {
    System.out.printf(Locale.ROOT,
        "%-26s p50 %6.1f us  p99 %6.1f us  CPU %5.1f us  context switches %.2f  bytes %.3f%n", name, sample.p50,
        sample.p99, sample.cpu, sample.switches, sample.bytes);
  }

  private static void takeTurns(List<Contender> all) throws IOException, InterruptedException {
    for (int warmUps = 0; warmUps < 2; warmUps++) {
      for (Contender contender : all) {
        try (Trips trips = contender.opening.open()) {
          run(trips, WARM_UP / 2, new Histogram(TimeUnit.SECONDS.toNanos(20), 3));
        }
      }
    }
    for (int turn = 0; turn < 2 * TURNS; turn++) {
      for (Contender contender : turn % 2 == 0 ? all : all.reversed()) {
        try (Trips trips = contender.opening.open()) {
          Sample sample = measure(trips);
          contender.samples.add(sample);
          print(contender.name, sample);
        }
      }
    }
  }

  private static void report(List<Contender> all) {
    System.out.printf("%nmedians of %d samples of %,d round trips, %d processors%n", 2 * TURNS, MEASURED,
        Runtime.getRuntime().availableProcessors());
    for (Contender contender : all) {
      print(contender.name, new Sample(contender.median(Sample::p50), contender.median(Sample::p99),
          contender.median(Sample::cpu), contender.median(Sample::switches), contender.median(Sample::bytes)));
    }
    for (Contender limit : all) {
      if (limit.isLimit) {
        for (Contender contender : all) {
          if (contender != limit) {
            System.out.printf(Locale.ROOT, "p50 of %s: %.2f of %s%n", contender.name,
                contender.median(Sample::p50) / limit.median(Sample::p50), limit.name);
          }
        }
      }
    }
  }

  /**
   * Prints one line for each sample, then the medians.
   *
   * @param arguments none
   * @throws InterruptedException if interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    Thread.ofPlatform().name("waiter").start(() -> {
      try {
        List<Contender> all = contenders();
        takeTurns(all);
        report(all);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }).join();
  }
}
