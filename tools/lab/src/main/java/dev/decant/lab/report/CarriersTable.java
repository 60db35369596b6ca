package dev.decant.lab.report;

import dev.decant.lab.carriers.CarriersResult;
import dev.decant.lab.carriers.CarriersRow;
import dev.decant.lab.carriers.Setup;
import dev.decant.lab.load.LoadMeasured;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The result of {@code decant carriers} for a terminal. */
public final class CarriersTable {
  private static final int NAMED_THREADS = 3;

  private CarriersTable() {}

  /**
   * Draws the table, a line for each setup, and the advice below it.
   *
   * @param result result of a run
   * @return several lines
   */
  public static String of(CarriersResult result) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(Locale.ROOT, "%-5s %5s %-8s %-40s %10s %8s %8s %9s %9s %7s %6s %6s %6s  %s%n", "load", "conns",
            "server", "threads", "requests/s", "work/s", "p50 us", "p99 us", "max us", "CPU us", "idle %", "stolen",
            "others",
            "context switches per request"));
    for (CarriersRow row : result.rows()) {
      Setup setup = row.setup();
      text.append(String.format(Locale.ROOT,
          "%-5s %5d %-8s %-40s %,10.0f %,8.0f %,8.0f %,9.0f %,9.0f %7.2f %6.1f %6.1f %6.1f  %s%n", setup.load().label(),
          setup.connections(), setup.server().label(), setup.setting().label(), row.requestsPerSecond(),
          row.workRequestsPerSecond(), row.latencyMicros(50), row.latencyMicros(99), row.latencyMicros(100),
          row.serverCpuMicros(), row.median(LoadMeasured::idlePercent), row.median(LoadMeasured::stolenPercent),
          row.median(LoadMeasured::othersPercent), switches(row)));
    }
    text.append(String.format(Locale.ROOT, """
        Medians of up to %d samples. CPU is the server's, per request of either kind. Mixed: requests/s and latency are
        those of the 20 light connections, work/s those of the 50 that compute. idle, stolen, others: %% of all CPUs
        that nobody used, the hypervisor, and processes that do not belong to the measurement.
        """, result.plan().rounds() * 2));
    if (!result.disturbance().isEmpty()) {
      text.append(result.disturbance()).append('\n');
    }
    text.append(result.priorityFinding()).append('\n');
    text.append(result.advice()).append('\n');
    return text.toString();
  }

  private static String switches(CarriersRow row) {
    List<String> named = new ArrayList<>();
    double sum = 0;
    for (Map.Entry<String, Double> entry : row.switchesPerRequest().entrySet()) {
      sum += entry.getValue();
      if (named.size() < NAMED_THREADS && entry.getValue() >= 0.0005) {
        named.add(String.format(Locale.ROOT, "%s %.3f", entry.getKey(), entry.getValue()));
      }
    }
    return String.format(Locale.ROOT, "%.3f", sum) + (named.isEmpty() ? "" : " (" + String.join(", ", named) + ")");
  }
}
