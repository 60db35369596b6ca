/** Apache's producer and consumer interfaces on the Decant Kafka client. */
// Apache's jar is no module.
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"}) module dev.decant.kafka.apache {
  requires transitive dev.decant.kafka;
  requires transitive kafka.clients;
  requires java.security.sasl;
  requires static org.jspecify;

  exports dev.decant.kafka.apache;
}
