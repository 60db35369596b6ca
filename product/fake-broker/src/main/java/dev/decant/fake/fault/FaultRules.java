package dev.decant.fake.fault;

import dev.decant.fake.journal.JournalEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The rules in force, in the order in which they were made. The first one that is for a request decides. */
public final class FaultRules {
  private final List<FaultRule> rules = new ArrayList<>();

  /** Creates a list without rules. */
  public FaultRules() {}

  /** Adds a rule behind the others. */
  public void add(FaultRule rule) {
    rules.add(rule);
  }

  /** Takes a rule away. */
  public void remove(FaultRule rule) {
    rules.remove(rule);
  }

  /** Takes all rules away. */
  public void clear() {
    rules.clear();
  }

  /** What to do to a request; each rule up to the one that decides counts it. */
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
