/** A Kafka cluster in the process of a test, with faults on command. */
module dev.decant.fake.broker {
  requires dev.decant.core;
  requires static dev.decant.kafka;
  requires transitive dev.decant.kafka.protocol;
  requires static org.jspecify;

  exports dev.decant.fake;
}
