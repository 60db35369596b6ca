package dev.decant.brokers;

/** The release of all other tests. */
class Kafka43Test extends BrokerReleaseContract {
  Kafka43Test() {
    super(OWN);
  }
}
