package dev.decant.kafka.consumer;

import java.util.Locale;

/** Ways in which members of a group get partitions; Kafka's {@code group.protocol}. */
public enum GroupProtocol {
  /** The leader of the members assigns the partitions, in rebalances of the whole group. All brokers support it. */
  CLASSIC,
  /**
   * The broker assigns the partitions, and each member moves towards its assignment by itself (KIP-848). Brokers
   * support it from 4.0 on.
   */
  CONSUMER;

  /**
   * Returns the name as Kafka's properties write it.
   *
   * @return {@code classic} or {@code consumer}
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the protocol of a name.
   *
   * @param text as Kafka's properties write it, in any case
   * @return the protocol
   * @throws IllegalArgumentException if there is none; the message lists both
   */
  public static GroupProtocol of(String text) {
    for (GroupProtocol protocol : values()) {
      if (protocol.text().equals(text.toLowerCase(Locale.ROOT))) {
        return protocol;
      }
    }
    throw new IllegalArgumentException("group.protocol: \"" + text + "\" is no protocol: use classic or consumer");
  }
}
