package dev.decant.fake.security;

import dev.decant.fake.api.Operations;

/**
 * A rule (KIP-290), with the numbers of Kafka's protocol.
 *
 * @param principal principal of the clients, such as {@code User:alice}; {@code User:*} for all
 * @param host address of the clients; {@code *} for all
 * @param operation operation of {@link Operations}
 * @param isAllow true if the rule allows the operation, false if it denies it
 * @param resourceType type of {@link Operations}
 * @param pattern {@link #LITERAL} or {@link #PREFIXED}
 * @param name name of the resources, or their prefix; a literal {@code *} for all
 */
public record AccessRule(String principal, String host, int operation, boolean isAllow, int resourceType,
    int pattern, String name) {

  /** The pattern of a rule for one name. */
  public static final int LITERAL = 3;
  /** The pattern of a rule for all names with a prefix. */
  public static final int PREFIXED = 4;
  /** All resources, all clients, or all hosts. */
  public static final String ANY = "*";
  /** All principals. */
  public static final String ANYONE = "User:*";

  /** Returns true if the rule applies to a client. */
  boolean concerns(String client, String address) {
    return (principal.equals(ANYONE) || principal.equals(client)) && (host.equals(ANY) || host.equals(address));
  }

  /** Returns true if the rule applies to a resource. */
  boolean covers(int type, String resource) {
    return resourceType == type && (pattern == PREFIXED
        ? resource.startsWith(name)
        : name.equals(ANY) || name.equals(resource));
  }

  /** Returns true if the rule applies to an operation. Rights to read, write, delete and alter include describing. */
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
