/** Kafka's wire format: message codecs generated from the protocol's schemas, and record batches. */
// The modules that messages are exported to are built after this one, so javac does not find it.
@SuppressWarnings("module") module dev.decant.kafka.protocol {
  requires transitive dev.decant.core;
  requires static org.jspecify;

  exports dev.decant.kafka.protocol;
  exports dev.decant.kafka.protocol.message to dev.decant.fake.broker, dev.decant.kafka;
  exports dev.decant.kafka.record;
}
