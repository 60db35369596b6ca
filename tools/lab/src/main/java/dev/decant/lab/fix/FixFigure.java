package dev.decant.lab.fix;

import dev.decant.lab.driver.Measured;
import dev.decant.lab.scenario.Figure;
import java.util.Locale;

/** The figures of a sample. */
public enum FixFigure implements Figure<FixMeasured> {
  /** Throughput: round trips per second, or messages of one-way work. */
  MESSAGES_PER_S(0),
  /** Latency at the median. */
  P50_US(1),
  /** Latency at the 99th percentile. */
  P99_US(1),
  /** Latency at the 99.9th percentile. */
  P999_US(1),
  /** Latency at the 99.99th percentile. */
  P9999_US(1),
  /** Highest latency. */
  MAX_US(0),
  /** Heap allocation of all threads. */
  ALLOCATED_BYTES(0),
  /** Heap allocation of all threads for each round trip or message. */
  BYTES_PER_MESSAGE(1),
  /** Number of collections that stopped the application. */
  COLLECTIONS(0),
  /** Total length of these collections. */
  PAUSE_MS(0),
  /** Processor time of the whole JVM for each round trip or message. */
  CPU_US_PER_MESSAGE(2),
  /** Processor time of the whole JVM in per cent of one processor, for work that sends nothing. */
  CPU_PERCENT(2),
  /** Voluntary context switches of all threads for each round trip or message. */
  SWITCHES_PER_MESSAGE(3),
  /** Number of messages that the sessions have sent on their own. */
  ADMINISTRATIVE_MESSAGES(0);

  private final int decimals;

  FixFigure(int decimals) {
    this.decimals = decimals;
  }

  /**
   * Returns the figure of a name.
   *
   * @throws IllegalArgumentException if no figure has that name
   */
  static FixFigure named(String key) {
    return valueOf(key.toUpperCase(Locale.ROOT));
  }

  @Override
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  @Override
  public double of(FixMeasured sample) {
    Measured measured = sample.measured();
    return switch (this) {
      case MESSAGES_PER_S -> measured.records() / measured.seconds();
      case P50_US -> measured.latencyMicrosAt(50);
      case P99_US -> measured.latencyMicrosAt(99);
      case P999_US -> measured.latencyMicrosAt(99.9);
      case P9999_US -> measured.latencyMicrosAt(99.99);
      case MAX_US -> measured.latencyMicrosAt(100);
      case ALLOCATED_BYTES -> (double) measured.allocatedBytes();
      case BYTES_PER_MESSAGE -> perMessage(measured, (double) measured.allocatedBytes());
      case COLLECTIONS -> (double) measured.collections();
      case PAUSE_MS -> (double) measured.pauseMillis();
      case CPU_US_PER_MESSAGE -> perMessage(measured, measured.cpuSeconds() * 1e6);
      case CPU_PERCENT -> measured.cpuSeconds() * 100 / measured.seconds();
      case SWITCHES_PER_MESSAGE ->
        measured.switches() < 0 ? Double.NaN : perMessage(measured, (double) measured.switches());
      case ADMINISTRATIVE_MESSAGES -> (double) sample.administrativeMessages();
    };
  }

  /**
   * Returns true if the figure says something about a work.
   *
   * @param work the work
   * @return false for latency where nothing is waited for
   */
  public boolean isOf(FixWork work) {
    return switch (this) {
      case P50_US, P99_US, P999_US, P9999_US, MAX_US -> !work.latencyOf().isEmpty();
      case MESSAGES_PER_S, BYTES_PER_MESSAGE, CPU_US_PER_MESSAGE, SWITCHES_PER_MESSAGE -> work != FixWork.IDLE;
      case CPU_PERCENT -> work == FixWork.IDLE;
      case ALLOCATED_BYTES, COLLECTIONS, PAUSE_MS, ADMINISTRATIVE_MESSAGES -> true;
    };
  }

  private static double perMessage(Measured measured, double amount) {
    return measured.records() == 0 ? Double.NaN : amount / measured.records();
  }

  @Override
  public String format(double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
