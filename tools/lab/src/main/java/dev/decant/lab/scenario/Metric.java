package dev.decant.lab.scenario;

import dev.decant.lab.driver.Measured;
import dev.decant.lab.stress.Sample;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a sample is measured by. */
public enum Metric implements Figure<Sample> {
  /** Throughput; records that the broker has, or that were consumed. */
  RECORDS_PER_S(0),
  /** How much the throughput of each tenth of a second differs from their mean: the standard deviation in per cent. */
  RECORDS_PER_S_VARIATION_PERCENT(1),
  /** Processor time of the client's whole JVM. */
  CPU_US_PER_RECORD(3),
  /** The JIT compiler's part of that. */
  JIT_CPU_US_PER_RECORD(3),
  /** Heap allocation of all threads. */
  BYTES_PER_RECORD(2),
  /** Heap allocation of the threads that call the client. */
  CALLER_BYTES_PER_RECORD(3),
  /** Collections that stopped the application. */
  COLLECTIONS(0),
  /** How long they did. */
  PAUSE_MS(0),
  /** Those of the young generation. */
  YOUNG_COLLECTIONS(0),
  /** Those of the old generation, or the whole heap. */
  OLD_COLLECTIONS(0),
  /** Heap allocation of all threads, altogether. */
  ALLOCATED_MIB(1),
  /** Latency. */
  P50_US(1),
  /** Latency. */
  P99_US(1),
  /** Latency. */
  P999_US(1),
  /** Latency. */
  P9999_US(1),
  /** Latency. */
  MAX_US(0),
  /** From the sending of a record, however late that was, until it was received. */
  SERVICE_P50_US(1),
  /** The same. */
  SERVICE_P99_US(1),
  /** The same. */
  SERVICE_P999_US(1),
  /** The same. */
  SERVICE_P9999_US(1),
  /** From when the client's code for the network knows a result until the caller runs again. */
  WAIT_WASTE_P50_US(2),
  /** The same. */
  WAIT_WASTE_P99_US(2),
  /** The same. */
  WAIT_WASTE_P999_US(2),
  /** The same. */
  WAIT_WASTE_MAX_US(1),
  /** How long a thousand records take, as measured of those that there were. */
  MS_PER_1000(1),
  /** Voluntary context switches of all threads of the client's JVM. */
  SWITCHES_PER_RECORD(4),
  /** The same. */
  SWITCHES_PER_1000_POLLS(2),
  /** Transactions that were committed. */
  TRANSACTIONS_PER_S(0),
  /** Records that a poll returned, of polls that returned any. */
  RECORDS_PER_POLL(1),
  /** Heap allocation of the thread that sends, all records together. */
  PRODUCE_CALLER_BYTES(0),
  /** The same of the threads on which the client reads and writes connections. */
  PRODUCE_IO_BYTES(0),
  /** The same of every other thread. */
  PRODUCE_OTHER_BYTES(0),
  /** Heap allocation of the thread that polls, all records together. */
  CONSUME_CALLER_BYTES(0),
  /** The same of the threads on which the client reads and writes connections. */
  CONSUME_IO_BYTES(0),
  /** The same of every other thread. */
  CONSUME_OTHER_BYTES(0),
  /** Connections that a client made until it knew the topic. */
  CONNECTIONS_PER_RECORD(2),
  /** From an event in a group until it is stable, where a member has joined; the median. */
  JOIN_P50_MS(0),
  /** The same where one has left. */
  LEAVE_P50_MS(0),
  /** The same where one has died without a word. */
  DEATH_P50_MS(0),
  /** Records that no member of a group was given. */
  LOST_RECORDS(0),
  /** Records that were given to a member of a group although they were committed before it had their partition. */
  DUPLICATE_RECORDS(0),
  /** Records that were given again because they were not committed yet. */
  REDELIVERED_RECORDS(0),
  /** Latency of records of the hot key, from when they were due to be sent until their handlers had ended. */
  HOT_KEY_P50_US(1),
  /** The same. */
  HOT_KEY_P99_US(1),
  /** Attempts of handlers that have failed. */
  FAILED_ATTEMPTS(0),
  /** Records that were handled behind a later one of their key, the warm-up's included. */
  MISORDERED_RECORDS(0),
  /** Heap in use after a collection, more than before. */
  HEAP_GROWTH_MIB(2),
  /** Direct memory in use, more than before. */
  DIRECT_GROWTH_MIB(2),
  /** Both together. */
  MEMORY_GROWTH_MIB(2);

  /** So many tenths of a second tell something of how the throughput varies. */
  private static final int LEAST_RATES = 5;

  private final String key = name().toLowerCase(Locale.ROOT);
  private final int decimals;

  Metric(int decimals) {
    this.decimals = decimals;
  }

  private static double latency(Measured measured, double percentile) {
    return measured.latencyMicrosAt(100.0) == 0 ? Double.NaN : measured.latencyMicrosAt(percentile);
  }

  private static double switchesPerRecord(Sample sample) {
    long switches = sample.measured().switches();
    return switches < 0 ? Double.NaN : switches / (double) sample.measured().records();
  }

  private static double variationPercent(List<Long> rates) {
    if (rates.size() < LEAST_RATES) {
      return Double.NaN;
    }
    double mean = rates.stream().mapToLong(Long::longValue).average().orElse(0);
    double squares = rates.stream().mapToDouble(rate -> (rate - mean) * (rate - mean)).sum();
    return 100 * Math.sqrt(squares / (rates.size() - 1)) / mean;
  }

  private static double switchesPer1000Polls(Sample sample) {
    return 1000 * switchesPerRecord(sample)
        * sample.measured().figures().getOrDefault(RECORDS_PER_POLL.key, Double.NaN);
  }

  private static double transactionsPerSecond(Sample sample) {
    return sample.recordsPerSecond()
        / sample.measured().figures().getOrDefault(Measured.RECORDS_PER_TRANSACTION, Double.NaN);
  }

  /**
   * The metric of a name.
   *
   * @param key as in a bar
   * @return the metric
   * @throws IllegalArgumentException if there is none; the message lists all
   */
  public static Metric of(String key) {
    return Arrays.stream(values()).filter(metric -> metric.key.equals(key)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no metric " + key + "; there are "
            + Arrays.stream(values()).map(Metric::key).collect(Collectors.joining(", "))));
  }

  /**
   * Tells which direction is the better one.
   *
   * @return true for throughput, false for all that one pays
   */
  public boolean isMoreBetter() {
    return this == RECORDS_PER_S || this == TRANSACTIONS_PER_S || this == RECORDS_PER_POLL;
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public double of(Sample sample) {
    return switch (this) {
      case RECORDS_PER_S -> sample.recordsPerSecond();
      case RECORDS_PER_S_VARIATION_PERCENT -> variationPercent(sample.measured().recordsPerSecond());
      case ALLOCATED_MIB -> sample.measured().allocatedBytes() / (double) (1 << 20);
      case CPU_US_PER_RECORD -> sample.cpuMicros();
      case JIT_CPU_US_PER_RECORD -> sample.jitCpuMicros();
      case BYTES_PER_RECORD -> sample.allocatedBytes();
      case COLLECTIONS -> sample.measured().collections();
      case PAUSE_MS -> sample.measured().pauseMillis();
      case P50_US -> latency(sample.measured(), 50.0);
      case P99_US -> latency(sample.measured(), 99.0);
      case P999_US -> latency(sample.measured(), 99.9);
      case P9999_US -> latency(sample.measured(), 99.99);
      case MAX_US -> latency(sample.measured(), 100.0);
      case MS_PER_1000 -> sample.measured().figures().containsKey(WAIT_WASTE_P50_US.key)
          ? 1e6 / sample.recordsPerSecond()
          : Double.NaN;
      case SWITCHES_PER_RECORD -> switchesPerRecord(sample);
      case SWITCHES_PER_1000_POLLS -> switchesPer1000Polls(sample);
      case TRANSACTIONS_PER_S -> transactionsPerSecond(sample);
      default -> sample.measured().figures().getOrDefault(key, Double.NaN); // only some works measure it
    };
  }

  /**
   * All that was measured.
   *
   * @param sample of a client
   * @return by name, in the order of this list
   */
  static Map<String, Double> figures(Sample sample) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (Metric metric : values()) {
      double value = metric.of(sample);
      if (Double.isFinite(value)) {
        figures.put(metric.key, value);
      }
    }
    return figures;
  }

  @Override
  public String format(double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
