package dev.decant.fix.event;

import dev.decant.fix.message.Leniency;

/**
 * Counts of the messages that a session has let through although they break a rule, since it was opened. A message that
 * breaks two rules counts for both. Any thread; the counts may be a moment old.
 */
public interface LetThrough {
  /**
   * The messages that broke a rule.
   *
   * @param leniency the rule
   * @return at least 0
   */
  long count(Leniency leniency);

  /**
   * The sum of all counts.
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
