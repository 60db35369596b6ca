package dev.decant.brokers;

import org.junit.jupiter.api.Tag;

/** The first release with KRaft for production. */
@Tag("long")
class Kafka33Test extends BrokerReleaseContract {
  Kafka33Test() {
    super("3.3");
  }
}
