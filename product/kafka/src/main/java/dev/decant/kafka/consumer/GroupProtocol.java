package dev.decant.kafka.consumer;

import java.util.Locale;

/** How the members of a group come to their partitions; Kafka's {@code group.protocol}. */
public enum GroupProtocol {
  /** The members' leader divides the partitions, in rebalances of the whole group. Every broker speaks it. */
  CLASSIC,
  /** The broker divides them, each member by itself moves towards that (KIP-848). Brokers from 4.0 on. */
  CONSUMER;

  /**
   * As Kafka's properties write it.
   *
   * @return {@code classic} or {@code consumer}
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The protocol of a name.
   *
   * @param text as Kafka's properties write it, in any case
   * @return the protocol
   * @throws IllegalArgumentException if there is none; the message says which there are
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
