package dev.decant.fake;

import dev.decant.fake.fault.FaultRule;

/** A fault in force: the number of its hits, and the way to end it. Any thread. */
public final class Fault {
  private final Faults faults;
  private final FaultRule rule;

  Fault(Faults faults, FaultRule rule) {
    this.faults = faults;
    this.rule = rule;
  }

  /** Returns the number of requests that the fault has hit so far. */
  public int hits() {
    return rule.hits();
  }

  /** Ends the fault; it hits no further request. */
  public void end() {
    faults.remove(rule);
  }
}
