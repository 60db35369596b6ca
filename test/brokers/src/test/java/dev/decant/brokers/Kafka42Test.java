package dev.decant.brokers;

/** With {@code -Polder-brokers}. */
class Kafka42Test extends BrokerReleaseContract {
  Kafka42Test() {
    super("4.2");
  }
}
