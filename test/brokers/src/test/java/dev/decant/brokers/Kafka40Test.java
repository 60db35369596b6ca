package dev.decant.brokers;

/** With {@code -Polder-brokers}. */
class Kafka40Test extends BrokerReleaseContract {
  Kafka40Test() {
    super("4.0");
  }
}
