package dev.decant.fake.security;

import dev.decant.fake.api.Operations;

/**
 * A rule (KIP-290), with the numbers of Kafka's protocol.
 *
 * @param principal whom it concerns, such as {@code User:alice}; {@code User:*} for all
 * @param host the address of the client; {@code *} for all
 * @param operation of {@link Operations}
 * @param isAllow whether it allows the operation, or denies it
 * @param resourceType of {@link Operations}
 * @param pattern {@link #LITERAL} or {@link #PREFIXED}
 * @param name the name of the resources, or how it begins; a literal {@code *} for all
 */
public record AccessRule(String principal, String host, int operation, boolean isAllow, int resourceType,
    int pattern, String name) {

  /** The name is that of the resource. */
  public static final int LITERAL = 3;
  /** The name is the beginning of that of the resource. */
  public static final int PREFIXED = 4;
  /** All resources, all clients, all hosts. */
  public static final String ANY = "*";
  /** All principals. */
  public static final String ANYONE = "User:*";

  /** Whether the rule is about a client. */
  boolean concerns(String client, String address) {
    return (principal.equals(ANYONE) || principal.equals(client)) && (host.equals(ANY) || host.equals(address));
  }

  /** Whether the rule is about a resource. */
  boolean covers(int type, String resource) {
    return resourceType == type && (pattern == PREFIXED
        ? resource.startsWith(name)
        : name.equals(ANY) || name.equals(resource));
  }

  /** Whether the rule is about an operation. Rights to read, write, delete and alter include describing. */
  boolean isFor(int wanted) {
    if (operation == Operations.ALL || operation == wanted) {
      return true;
    }
    return isAllow && switch (wanted) {
      case Operations.DESCRIBE -> operation == Operations.READ || operation == Operations.WRITE
          || operation == Operations.DELETE || operation == Operations.ALTER;
      case Operations.DESCRIBE_CONFIGS -> operation == Operations.ALTER_CONFIGS;
      default -> false;
    };
  }
}
