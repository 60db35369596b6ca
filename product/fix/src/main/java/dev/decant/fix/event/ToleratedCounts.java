package dev.decant.fix.event;

import dev.decant.fix.message.Leniency;

/**
 * Counts of accepted messages that break a rule which settings relax, since the session was opened. A message that
 * breaks two rules counts for both. Any thread; the counts may be a moment old.
 */
public interface ToleratedCounts {
  /**
   * Returns how many accepted messages broke a rule.
   *
   * @param leniency the rule
   * @return at least 0
   */
  long count(Leniency leniency);

  /**
   * Returns the sum of all counts.
   *
   * @return 0 if every message has kept all rules
   */
  default long total() {
    long total = 0;
    for (Leniency leniency : Leniency.values()) {
      total += count(leniency);
    }
    return total;
  }
}
