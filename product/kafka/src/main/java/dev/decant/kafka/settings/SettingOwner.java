package dev.decant.kafka.settings;

/** The part of a client that a setting belongs to. */
public enum SettingOwner {
  /** The client; its producers and consumers share the setting. */
  CLIENT("the client: use KafkaClient.fromProperties or KafkaClient.builder"),
  /** Each producer. */
  PRODUCER("producers: use ProducerBuilder.properties"),
  /** Transactions. */
  TRANSACTIONS("transactions: use KafkaClient.transactions(...).timeout, or KafkaClient.fromProperties"),
  /** Each consumer. */
  CONSUMER("consumers: use ConsumerBuilder.properties");

  private final String where;

  SettingOwner(String where) {
    this.where = where;
  }

  /** Returns the owner and the place where the setting is made, for messages. */
  String where() {
    return where;
  }
}
