package dev.decant.kafka.client;

import dev.decant.kafka.Statistic;
import dev.decant.kafka.telemetry.Counters;

/**
 * The caller's own copy of a client's statistics. {@link KafkaClient#statistics} fills it with the figures, and with
 * their change since it was last filled. Figures are computed only then, and nothing is allocated.
 *
 * <p>Not thread-safe. Each figure is exact; two of them may be read a moment apart.
 */
@SuppressWarnings("EnumOrdinal") // an index into arrays of this process only
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
   * Returns a figure.
   *
   * @param statistic the counter
   * @return its count since the client was opened
   */
  public long value(Statistic statistic) {
    return values[statistic.ordinal()];
  }

  /**
   * Returns the change of a figure between the last two fills.
   *
   * @param statistic the counter
   * @return the difference; the value itself after the first fill
   */
  public long delta(Statistic statistic) {
    return deltas[statistic.ordinal()];
  }

  /**
   * Returns true if no figure has changed between the last two fills.
   *
   * @return true also before the first fill
   */
  public boolean isUnchanged() {
    return unchanged;
  }
}
