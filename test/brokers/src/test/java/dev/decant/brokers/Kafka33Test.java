package dev.decant.brokers;

/** The first release with KRaft for production; with {@code -Polder-brokers}. */
class Kafka33Test extends BrokerReleaseContract {
  Kafka33Test() {
    super("3.3");
  }
}
