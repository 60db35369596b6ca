package dev.decant.brokers;

import org.junit.jupiter.api.Tag;

/** A release between the oldest and the test kit's own. */
@Tag("long")
class Kafka41Test extends BrokerReleaseContract {
  Kafka41Test() {
    super("4.1");
  }
}
