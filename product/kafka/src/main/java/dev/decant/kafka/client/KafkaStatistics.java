package dev.decant.kafka.client;

import dev.decant.kafka.Statistic;
import dev.decant.kafka.telemetry.Counters;

/**
 * The caller's own copy of a client's statistics, filled by {@link KafkaClient#statistics} as often as the caller
 * likes, with what has changed since the time before. Nothing is computed unless asked for, nothing is allocated.
 *
 * <p>Not thread-safe. Each figure is exact; two of them may be read a moment apart.
 */
@SuppressWarnings("EnumOrdinal") // an index into arrays of this very process
public final class KafkaStatistics {
  private static final Statistic[] ALL = Statistic.values();

  private final long[] values = new long[ALL.length];
  private final long[] deltas = new long[ALL.length];
  private boolean unchanged = true;

  /** Makes a copy that is all zero. */
  public KafkaStatistics() {}

  void fill(Counters counters) {
    boolean same = true;
    for (Statistic s : ALL) {
      int i = s.ordinal();
      long now = counters.get(s);
      deltas[i] = now - values[i];
      values[i] = now;
      same &= deltas[i] == 0;
    }
    unchanged = same;
  }

  /**
   * A figure.
   *
   * @param statistic which
   * @return since the client was opened
   */
  public long value(Statistic statistic) {
    return values[statistic.ordinal()];
  }

  /**
   * How a figure has changed between the last two times this was filled.
   *
   * @param statistic which
   * @return the difference; the value itself after the first time
   */
  public long delta(Statistic statistic) {
    return deltas[statistic.ordinal()];
  }

  /**
   * Tells whether nothing at all has changed between the last two times this was filled.
   *
   * @return true also before the first time
   */
  public boolean isUnchanged() {
    return unchanged;
  }
}
