package dev.decant.testkit;

import java.util.regex.Pattern;

/** One-line errors for operations that an external cluster refuses: cluster, operation, cause and cure. */
final class Refusals {
  private static final Pattern NUMBERS_AT_THE_END = Pattern.compile("[\\d-]+$");

  private Refusals() {}

  /**
   * Returns the error of a cluster that could not be reached.
   *
   * @param bootstrap its address
   * @param refusal of Apache's client
   */
  static String ofConnecting(String bootstrap, String refusal) {
    return refusal.contains("No resolvable bootstrap urls")
        ? "no cluster at " + bootstrap + ": no such host is known here; check the name"
        : "no cluster at " + bootstrap + ": " + message(refusal)
            + (exception(refusal).endsWith("AuthenticationException")
                ? "; check the client config"
                : "; check the address");
  }

  /**
   * Returns the error of a cluster that has too few brokers.
   *
   * @param bootstrap its address
   * @param wanted required brokers
   * @param present brokers that it has
   */
  static String ofSize(String bootstrap, int wanted, int present) {
    return "the cluster at " + bootstrap + " has " + present + " broker(s), and " + wanted + " are wanted for as many"
        + " replicas; use a larger one, or ask for fewer with --brokers or \"brokers = " + present + "\" in a scenario";
  }

  /**
   * Returns the error of a topic that could not be created.
   *
   * @param bootstrap the cluster's address
   * @param topic its name
   * @param refusal the name of an exception's class, a colon and its message
   */
  static String ofCreating(String bootstrap, String topic, String refusal) {
    String what = "the cluster at " + bootstrap + " does not let the topic " + topic + " be created: ";
    String prefix = NUMBERS_AT_THE_END.matcher(topic).replaceFirst("-");
    String rights = "give who connects (User:ANONYMOUS without credentials) the operations Create, Describe, Delete,"
        + " Read and Write on topics with the prefix " + prefix + ", and Read on groups with the prefix decant-lab-";
    return what + switch (exception(refusal)) {
      case "TopicAuthorizationException" -> "TOPIC_AUTHORIZATION_FAILED; " + rights;
      case "ClusterAuthorizationException" -> "CLUSTER_AUTHORIZATION_FAILED; " + rights;
      case "PolicyViolationException" -> "POLICY_VIOLATION, " + message(refusal)
          + "; except topics with the prefix " + prefix + " from the policy, or use another cluster";
      case "InvalidReplicationFactorException" -> "INVALID_REPLICATION_FACTOR, " + message(refusal)
          + "; start as many brokers as default.replication.factor says, or lower that";
      case "TimeoutException" -> message(refusal)
          + "; check that the addresses which its brokers advertise can be reached from here";
      default -> refusal;
    };
  }

  private static String exception(String refusal) {
    String type = refusal.split(":", 2)[0];
    return type.substring(type.lastIndexOf('.') + 1);
  }

  /** Returns the message without the exception's name, and without a full stop, because more text follows. */
  private static String message(String refusal) {
    String message = refusal.contains(": ") ? refusal.substring(refusal.indexOf(": ") + 2) : refusal;
    return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
  }
}
