package dev.decant.fake.fault;

import dev.decant.fake.journal.JournalEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The rules in force, in the order in which they were made. The first rule that matches a request decides. */
public final class FaultRules {
  private final List<FaultRule> rules = new ArrayList<>();

  public FaultRules() {}

  /** Adds a rule after all others. */
  public void add(FaultRule rule) {
    rules.add(rule);
  }

  public void remove(FaultRule rule) {
    rules.remove(rule);
  }

  /** Removes all rules. */
  public void clear() {
    rules.clear();
  }

  /** Returns the disturbance of a request. Each rule up to the deciding one counts the request. */
  public Disturbance take(JournalEntry entry, Supplier<Collection<String>> topics) {
    if (rules.isEmpty()) {
      return Disturbance.NONE;
    }
    Collection<String> named = topics.get();
    for (FaultRule rule : List.copyOf(rules)) {
      Disturbance disturbance = rule.apply(entry, named);
      if (rule.isOver()) {
        rules.remove(rule);
      }
      if (disturbance.kind() != Disturbance.Kind.NONE) {
        return disturbance;
      }
    }
    return Disturbance.NONE;
  }
}
