package dev.decant.fake.security;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a cluster. A rule that denies overrides rules that allow. After the first rule that allows, or a super
 * user, everything that no rule allows is denied. With rules that deny alone, all else is allowed, as if one rule
 * allowed everything to everyone. Owner of the loop only.
 */
public final class AccessRules {
  private final Set<AccessRule> rules = new LinkedHashSet<>();
  private final Set<String> superUsers = new LinkedHashSet<>();
  private List<AccessRule> firstRules = List.of();
  /**
   * True after the first rule that allows: everything that no rule allows is denied, also after the last of these rules
   * is removed.
   */
  private boolean isClosed;
  /** True after the first rule: the cluster has an authorizer. */
  private boolean hasAuthorizer;

  /** Puts guards in front of the APIs, which costs a new JVM a tenth of a second; null after it has run. */
  private @Nullable Runnable firstRule;

  public AccessRules() {}

  /** Saves the present rules for {@link #restore}. */
  public void remember() {
    firstRules = List.copyOf(rules);
  }

  /** Restores the rules of the last {@link #remember}. */
  public void restore() {
    rules.clear();
    hasAuthorizer = !superUsers.isEmpty();
    isClosed = hasAuthorizer;
    firstRules.forEach(this::add);
  }

  /** Runs a task before the first rule or super user is added; at once if there is one. */
  void beforeFirst(Runnable task) {
    firstRule = task;
    if (hasAuthorizer) {
      begin();
    }
  }

  private void begin() {
    hasAuthorizer = true;
    Runnable task = firstRule;
    if (task != null) {
      firstRule = null;
      task.run();
    }
  }

  /** Adds a rule. */
  public void add(AccessRule rule) {
    begin();
    rules.add(rule);
    isClosed |= rule.isAllow();
  }

  /** Allows a principal everything. */
  public void addSuperUser(String principal) {
    begin();
    superUsers.add(principal);
    isClosed = true;
  }

  /** Removes the rules that meet a condition, and returns them. */
  public List<AccessRule> remove(Predicate<AccessRule> condition) {
    List<AccessRule> removed = rules.stream().filter(condition).toList();
    removed.forEach(rules::remove);
    return removed;
  }

  /** Returns the rules in the order in which they were added. */
  public Collection<AccessRule> all() {
    return List.copyOf(rules);
  }

  /** Returns true if there was ever a rule. Without one, brokers respond that security is disabled. */
  boolean haveAuthorizer() {
    return hasAuthorizer;
  }

  boolean areLimits(String principal) {
    return hasAuthorizer && !superUsers.contains(principal);
  }

  boolean allow(String principal, String host, int operation, int type, String name) {
    if (!areLimits(principal)) {
      return true;
    }
    boolean isAllowed = false;
    for (AccessRule rule : rules) {
      if (rule.covers(type, name) && rule.concerns(principal, host) && rule.isFor(operation)) {
        if (!rule.isAllow()) {
          return false;
        }
        isAllowed = true;
      }
    }
    return isAllowed || !isClosed;
  }

  /** Returns true if there can be a resource of a type on which a client may do an operation (KIP-679). */
  boolean allowOnAny(String principal, String host, int operation, int type) {
    if (!areLimits(principal)) {
      return true;
    }
    List<AccessRule> own = rules.stream()
        .filter(r -> r.resourceType() == type && r.concerns(principal, host) && r.isFor(operation)).toList();
    List<AccessRule> denials = own.stream().filter(r -> !r.isAllow()).toList();
    if (denials.stream().anyMatch(r -> r.name().equals(AccessRule.ANY) && r.pattern() == AccessRule.LITERAL)) {
      return false;
    }
    return !isClosed
        || own.stream().anyMatch(r -> r.isAllow() && denials.stream().noneMatch(d -> dominates(d, r)));
  }

  /** Returns true if a rule that denies covers all of one that allows. */
  private static boolean dominates(AccessRule denial, AccessRule allowance) {
    if (denial.pattern() == AccessRule.PREFIXED) {
      return allowance.name().startsWith(denial.name()) && !allowance.name().equals(AccessRule.ANY);
    }
    return allowance.pattern() == AccessRule.LITERAL && denial.name().equals(allowance.name());
  }
}
