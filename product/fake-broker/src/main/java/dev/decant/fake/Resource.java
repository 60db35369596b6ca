package dev.decant.fake;

import dev.decant.fake.api.Operations;
import dev.decant.fake.security.AccessRule;

/**
 * The resource of a rule of {@link FakeSecurity}: one name, all names with a prefix, or all names of a type (KIP-290).
 */
public final class Resource {
  private final int type;
  private final int pattern;
  private final String name;

  private Resource(int type, int pattern, String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a resource needs a name");
    }
    this.type = type;
    this.pattern = pattern;
    this.name = name;
  }

  private static Resource literal(int type, String name) {
    return new Resource(type, AccessRule.LITERAL, name);
  }

  private static Resource prefixed(int type, String prefix) {
    return new Resource(type, AccessRule.PREFIXED, prefix);
  }

  /** Returns a topic. */
  public static Resource topic(String name) {
    return literal(Operations.TOPIC, name);
  }

  /** Returns all topics whose names have a prefix. */
  public static Resource topics(String prefix) {
    return prefixed(Operations.TOPIC, prefix);
  }

  /** Returns all topics. */
  public static Resource anyTopic() {
    return topic(AccessRule.ANY);
  }

  /** Returns a group of any type. */
  public static Resource group(String id) {
    return literal(Operations.GROUP, id);
  }

  /** Returns all groups whose ids have a prefix. */
  public static Resource groups(String prefix) {
    return prefixed(Operations.GROUP, prefix);
  }

  /** Returns all groups. */
  public static Resource anyGroup() {
    return group(AccessRule.ANY);
  }

  /** Returns a transactional id. */
  public static Resource transactionalId(String id) {
    return literal(Operations.TRANSACTIONAL_ID, id);
  }

  /** Returns all transactional ids with a prefix. */
  public static Resource transactionalIds(String prefix) {
    return prefixed(Operations.TRANSACTIONAL_ID, prefix);
  }

  /** Returns all transactional ids. */
  public static Resource anyTransactionalId() {
    return transactionalId(AccessRule.ANY);
  }

  /** Returns the cluster itself. */
  public static Resource cluster() {
    return literal(Operations.CLUSTER, Operations.CLUSTER_NAME);
  }

  AccessRule rule(String principal, Operation operation, boolean isAllow) {
    if (!principal.startsWith("User:") || principal.length() == "User:".length()) {
      throw new IllegalArgumentException("principal " + principal + " does not begin with User:");
    }
    return new AccessRule(principal, AccessRule.ANY, operation.code(), isAllow, type, pattern, name);
  }

  @Override
  public String toString() {
    String kind = switch (type) {
      case Operations.TOPIC -> "topic ";
      case Operations.GROUP -> "group ";
      case Operations.TRANSACTIONAL_ID -> "transactional id ";
      default -> "";
    };
    return kind + name + (pattern == AccessRule.PREFIXED ? "*" : "");
  }
}
