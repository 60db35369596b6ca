package dev.decant.brokers;

/** With {@code -Polder-brokers}. */
class Kafka41Test extends BrokerReleaseContract {
  Kafka41Test() {
    super("4.1");
  }
}
