package dev.decant.brokers;

import org.junit.jupiter.api.Tag;

/** A release between the oldest and the test kit's own. */
@Tag("long")
class Kafka42Test extends BrokerReleaseContract {
  Kafka42Test() {
    super("4.2");
  }
}
