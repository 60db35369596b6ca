package dev.decant.fake.api;

import dev.decant.kafka.protocol.ErrorCode;

/** The types of resources that have configs, by the protocol's numbers. */
final class ConfigResources {
  static final byte TOPIC = 2;
  static final byte BROKER = 4;
  /** The type of groups (KIP-848, KIP-932). */
  static final byte GROUP = 32;

  private ConfigResources() {}

  /**
   * Checks that a resource is the broker that received the request, or the default of all brokers.
   *
   * @param name id of a broker, or empty for the default of all
   * @param message text of the refusal
   */
  static void checkBroker(String name, RequestContext context, String message) throws Refusal {
    if (!name.isEmpty() && !name.matches("[+-]?[0-9]{1,10}")) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, "Broker id must be an integer, but it is: " + name);
    }
    if (!name.isEmpty() && !name.equals(String.valueOf(context.broker().id()))) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, message);
    }
  }
}
