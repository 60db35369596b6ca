package dev.decant.fake.security;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A filter of rules in an administrator's request (KIP-140, KIP-290).
 *
 * @param resourceType {@value #ANY} for all
 * @param name name of the resource; null for all
 * @param pattern {@value #ANY} for all, {@value #MATCH} for rules that cover a resource of the name
 * @param principal null for all
 * @param host null for all
 * @param operation {@value #ANY} for all
 * @param permission {@value #ANY} for all
 */
record AccessFilter(byte resourceType, @Nullable String name, byte pattern, @Nullable String principal,
    @Nullable String host, byte operation, byte permission) implements Predicate<AccessRule> {

  static final byte ANY = 1;
  static final byte MATCH = 2;
  static final byte DENIES = 2;
  static final byte ALLOWS = 3;

  static byte permission(AccessRule rule) {
    return rule.isAllow() ? ALLOWS : DENIES;
  }

  @Override
  public boolean test(AccessRule rule) {
    return (resourceType == ANY || resourceType == rule.resourceType())
        && (principal == null || principal.equals(rule.principal()))
        && (host == null || host.equals(rule.host()))
        && (operation == ANY || operation == rule.operation())
        && (permission == ANY || permission == permission(rule)) && isOfName(rule);
  }

  private boolean isOfName(AccessRule rule) {
    String wanted = name;
    if (pattern == MATCH) {
      return wanted == null || rule.covers(rule.resourceType(), wanted);
    }
    return (pattern == ANY || pattern == rule.pattern()) && (wanted == null || wanted.equals(rule.name()));
  }
}
