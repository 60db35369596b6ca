package dev.decant.fake;

import dev.decant.fake.fault.FaultRule;

/** A fault that was asked for: how often it has happened, and its end. Any thread. */
public final class Fault {
  private final Faults faults;
  private final FaultRule rule;

  Fault(Faults faults, FaultRule rule) {
    this.faults = faults;
    this.rule = rule;
  }

  /** How many requests it has disturbed so far. */
  public int hits() {
    return rule.hits();
  }

  /** Ends the fault: no further request is disturbed by it. */
  public void end() {
    faults.remove(rule);
  }
}
