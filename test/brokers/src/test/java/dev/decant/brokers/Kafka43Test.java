package dev.decant.brokers;

import org.junit.jupiter.api.Tag;

/** The release of all other tests. */
@Tag("full")
class Kafka43Test extends BrokerReleaseContract {
  Kafka43Test() {
    super(OWN);
  }
}
