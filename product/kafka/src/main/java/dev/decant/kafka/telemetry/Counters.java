package dev.decant.kafka.telemetry;

import dev.decant.kafka.Statistic;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What a client counts, always: once per batch, response or poll, never per record. Any thread.
 */
@SuppressWarnings("EnumOrdinal") // an index into an array of this very process
public final class Counters {
  private final AtomicLongArray values = new AtomicLongArray(Statistic.values().length);

  Counters() {}

  /**
   * Counts.
   *
   * @param statistic which
   * @param more how many
   */
  public void add(Statistic statistic, long more) {
    values.getAndAdd(statistic.ordinal(), more);
  }

  /**
   * Reads one.
   *
   * @param statistic which
   * @return since the client was opened
   */
  public long get(Statistic statistic) {
    return values.get(statistic.ordinal());
  }
}
