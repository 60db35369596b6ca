package dev.decant.brokers;

import org.junit.jupiter.api.Tag;

/** A release between the oldest and the test kit's own. */
@Tag("long")
class Kafka40Test extends BrokerReleaseContract {
  Kafka40Test() {
    super("4.0");
  }
}
