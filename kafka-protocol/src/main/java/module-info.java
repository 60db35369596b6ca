/** Kafka's wire format: message codecs generated from the protocol's schemas, and record batches. */
module dev.decant.kafka.protocol {
  requires transitive dev.decant.core;
  requires static transitive org.jspecify;

  exports dev.decant.kafka.protocol;
  exports dev.decant.kafka.protocol.message;
  exports dev.decant.kafka.record;
}
