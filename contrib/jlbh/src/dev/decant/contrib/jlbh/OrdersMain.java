package dev.decant.contrib.jlbh;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import net.openhft.chronicle.jlbh.JLBH;
import net.openhft.chronicle.jlbh.JLBHOptions;
import net.openhft.chronicle.jlbh.JLBHTask;

/**
 * Sends orders at a rate by JLBH, and times each until its execution is reported. Arguments: engine, orders per second,
 * seconds of a run, number of runs. JLBH's tables go to standard error; CPU time in us and system calls that write,
 * both
 * of an order in the last run, to standard output.
 */
public final class OrdersMain implements JLBHTask {
  private static final int WARM_UP = 50_000;
  /** JLBH's warm-up waits for no response; more orders than these wait until some are filled. */
  private static final int MOST_UNDER_WAY = 1_000;

  private final String engine;
  private final OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private Side side;
  private long sent;
  /** Written by the thread that receives. */
  private volatile long received;
  private long sentBefore;
  private long cpuBefore;
  /** CPU time of an order in the last run, of all threads but the one that sends: that one spins until it is due. */
  private double cpuMicros;
  private long writesBefore;
  /** Writes to sockets in the last run for each order, at both ends. Linux alone counts them. */
  private double writes;

  private OrdersMain(String engine) {
    this.engine = engine;
  }

  /**
   * Measures.
   *
   * @param arguments engine, orders per second, seconds of a run, number of runs
   */
  public static void main(String[] arguments) {
    int rate = Integer.parseInt(arguments[1]);
    OrdersMain task = new OrdersMain(arguments[0]);
    PrintStream tables = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    JLBHOptions options = new JLBHOptions().throughput(rate).accountForCoordinatedOmission(true)
        .warmUpIterations(WARM_UP).iterations((long) rate * Integer.parseInt(arguments[2]))
        .runs(Integer.parseInt(arguments[3])).recordOSJitter(false).acquireLock(() -> null).jlbhTask(task);
    new JLBH(options, tables, null).start();
    System.out.printf(Locale.ROOT, "%.2f %.2f%n", task.cpuMicros, task.writes);
    System.exit(0);
  }

  private long otherThreads() {
    return process.getProcessCpuTime() - ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long writesSoFar() {
    try {
      return Files.readAllLines(Path.of("/proc/self/io")).stream().filter(line -> line.startsWith("syscw: "))
          .mapToLong(line -> Long.parseLong(line.substring("syscw: ".length()))).findFirst().orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public void init(JLBH jlbh) {
    try {
      side = Side.open(engine, due -> {
        jlbh.sample(System.nanoTime() - due);
        received++; // one thread writes
      });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void run(long dueNanos) {
    while (sent - received > MOST_UNDER_WAY) {
      Thread.onSpinWait();
    }
    try {
      side.send(dueNanos);
      sent++;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void warmedUp() {
    runComplete();
  }

  /** The first run begins when the warm-up ends, each other one when a run ends. */
  @Override
  public void runComplete() {
    long cpu = otherThreads();
    long written = writesSoFar();
    cpuMicros = (cpu - cpuBefore) / 1_000.0 / (sent - sentBefore);
    writes = (double) (written - writesBefore) / (sent - sentBefore);
    cpuBefore = cpu;
    writesBefore = written;
    sentBefore = sent;
  }
}
