package dev.decant.brokers;

import org.junit.jupiter.api.Tag;

/** The last release before 4.0. */
@Tag("full")
class Kafka39Test extends BrokerReleaseContract {
  Kafka39Test() {
    super("3.9");
  }
}
