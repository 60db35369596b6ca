package dev.decant.fake.api;

import dev.decant.kafka.protocol.ErrorCode;

/** What configs are of, by the numbers that the protocol has for it. */
final class ConfigResources {
  static final byte TOPIC = 2;
  static final byte BROKER = 4;
  /** Of groups (KIP-848, KIP-932). */
  static final byte GROUP = 32;

  private ConfigResources() {}

  /**
   * Checks that configs of a broker are those of the broker that was asked, or of all.
   *
   * @param name the id of a broker, or empty for the default of all
   * @param context which broker was asked
   * @param message what to say otherwise
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
