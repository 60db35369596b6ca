package dev.decant.contrib.jlbh;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import net.openhft.chronicle.jlbh.JLBH;
import net.openhft.chronicle.jlbh.JLBHOptions;
import net.openhft.chronicle.jlbh.JLBHTask;

/**
 * Sends orders at a rate by JLBH, and times each until its execution is reported. Arguments: engine, orders per second,
 * seconds of a run, number of runs. JLBH's tables go to standard error, the CPU time of an order in the last run to
 * standard output.
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
    System.out.printf(Locale.ROOT, "%.2f%n", task.cpuMicros);
    System.exit(0);
  }

  private long otherThreads() {
    return process.getProcessCpuTime() - ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
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
    cpuMicros = (cpu - cpuBefore) / 1_000.0 / (sent - sentBefore);
    cpuBefore = cpu;
    sentBefore = sent;
  }
}
