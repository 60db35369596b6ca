package dev.decant.brokers;

/** The last release before 4.0. */
class Kafka39Test extends BrokerReleaseContract {
  Kafka39Test() {
    super("3.9");
  }
}
