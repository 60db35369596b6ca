package dev.decant.lab.scenario;

import dev.decant.lab.driver.Measured;
import dev.decant.lab.stress.Sample;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures of a client's sample. */
public enum Metric implements Figure<Sample> {
  /** Throughput: records per second that the broker has, or that were consumed. */
  RECORDS_PER_S(0),
  /**
   * Variation of the throughput: standard deviation of the rates of all tenths of a second, in per cent of their mean.
   */
  RECORDS_PER_S_VARIATION_PERCENT(1),
  /** Processor time of the client's whole JVM. */
  CPU_US_PER_RECORD(3),
  /** Processor time of the JIT compiler. */
  JIT_CPU_US_PER_RECORD(3),
  /** Heap allocation of all threads. */
  BYTES_PER_RECORD(2),
  /** Heap allocation of the threads that call the client. */
  CALLER_BYTES_PER_RECORD(3),
  /** Number of collections that stopped the application. */
  COLLECTIONS(0),
  /** Total length of these collections. */
  PAUSE_MS(0),
  /** Number of collections of the young generation. */
  YOUNG_COLLECTIONS(0),
  /** Number of collections of the old generation or of the whole heap. */
  OLD_COLLECTIONS(0),
  /** Heap allocation of all threads during the whole sample. */
  ALLOCATED_MIB(1),
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
  /** Time from the sending of a record, however late that was, until it was received; the median. */
  SERVICE_P50_US(1),
  /** Service time at the 99th percentile. */
  SERVICE_P99_US(1),
  /** Service time at the 99.9th percentile. */
  SERVICE_P999_US(1),
  /** Service time at the 99.99th percentile. */
  SERVICE_P9999_US(1),
  /** Time from when the client's I/O thread knows a result until the caller runs again; the median. */
  WAIT_WASTE_P50_US(2),
  /** Wait waste at the 99th percentile. */
  WAIT_WASTE_P99_US(2),
  /** Wait waste at the 99.9th percentile. */
  WAIT_WASTE_P999_US(2),
  /** Highest wait waste. */
  WAIT_WASTE_MAX_US(1),
  /** Time for a thousand records, computed from those that were measured. */
  MS_PER_1000(1),
  /** Voluntary context switches of all threads of the client's JVM, for each record. */
  SWITCHES_PER_RECORD(4),
  /** Voluntary context switches of all threads of the client's JVM, for a thousand polls. */
  SWITCHES_PER_1000_POLLS(2),
  /** Committed transactions per second. */
  TRANSACTIONS_PER_S(0),
  /** Records of a poll, over all polls that returned any. */
  RECORDS_PER_POLL(1),
  /** Heap allocation of the sending thread, for all records together. */
  PRODUCE_CALLER_BYTES(0),
  /** Heap allocation of the producer's I/O threads. */
  PRODUCE_IO_BYTES(0),
  /** Heap allocation of all other threads while records are sent. */
  PRODUCE_OTHER_BYTES(0),
  /** Heap allocation of the polling thread, for all records together. */
  CONSUME_CALLER_BYTES(0),
  /** Heap allocation of the consumer's I/O threads. */
  CONSUME_IO_BYTES(0),
  /** Heap allocation of all other threads while records are read. */
  CONSUME_OTHER_BYTES(0),
  /** Number of connections that a client made until it knew the topic. */
  CONNECTIONS_PER_RECORD(2),
  /** Time from the joining of a member until the group is stable; the median. */
  JOIN_P50_MS(0),
  /** Time from the leaving of a member until the group is stable; the median. */
  LEAVE_P50_MS(0),
  /** Time from the death of a member, which leaves no group, until the group is stable; the median. */
  DEATH_P50_MS(0),
  /** Records that no member of a group has received. */
  LOST_RECORDS(0),
  /** Records that a member has received although they were committed before the partition was assigned to it. */
  DUPLICATE_RECORDS(0),
  /** Records that were delivered again because they were not committed yet. */
  REDELIVERED_RECORDS(0),
  /**
   * Latency of records of the hot key, from when they were due to be sent until their handlers had ended; the median.
   */
  HOT_KEY_P50_US(1),
  /** Latency of records of the hot key at the 99th percentile. */
  HOT_KEY_P99_US(1),
  /** Attempts of handlers that have failed. */
  FAILED_ATTEMPTS(0),
  /** Records that were handled after a later record of their key, in the warm-up, too. */
  MISORDERED_RECORDS(0),
  /** Growth of the heap in use after a collection. */
  HEAP_GROWTH_MIB(2),
  /** Growth of the direct memory in use. */
  DIRECT_GROWTH_MIB(2),
  /** Growth of heap and direct memory together. */
  MEMORY_GROWTH_MIB(2);

  /** Least number of tenths of a second from which a variation is computed. */
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
   * Returns the metric of a name.
   *
   * @param key name in a bar
   * @return the metric
   * @throws IllegalArgumentException if no metric has that name; the message lists all
   */
  public static Metric of(String key) {
    return Arrays.stream(values()).filter(metric -> metric.key.equals(key)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no metric " + key + "; there are "
            + Arrays.stream(values()).map(Metric::key).collect(Collectors.joining(", "))));
  }

  /**
   * Returns true if a larger value is better.
   *
   * @return true for throughput, false for costs
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
   * Returns all figures of a sample.
   *
   * @param sample sample of a client
   * @return by name, in the order of this enum
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
