/** Micronaut Kafka's factories on the Decant Kafka client. */
// Neither Micronaut's jars nor Apache's are modules; Micronaut's manifests at least say their names.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) module dev.decant.micronaut {
  requires transitive dev.decant.kafka.apache;
  requires transitive io.micronaut.kafka.micronaut_kafka;
  requires io.micronaut.micronaut_core;
  requires io.micronaut.micronaut_inject;
  requires jakarta.inject;
  requires transitive kafka.clients;
  requires static org.jspecify;

  exports dev.decant.micronaut;
}
