package dev.decant.kafka.settings;

/** Whose setting a name is. */
public enum SettingOwner {
  /** Of the client, shared by its producers and consumers. */
  CLIENT("the client: use KafkaClient.fromProperties or KafkaClient.builder"),
  /** Of each producer. */
  PRODUCER("producers: use ProducerBuilder.properties"),
  /** Of transactions. */
  TRANSACTIONS("transactions: use KafkaClient.transactions(...).timeout, or KafkaClient.fromProperties"),
  /** Of each consumer. */
  CONSUMER("consumers: use ConsumerBuilder.properties");

  private final String where;

  SettingOwner(String where) {
    this.where = where;
  }

  /** Whom it belongs to, and where it is set. */
  String where() {
    return where;
  }
}
