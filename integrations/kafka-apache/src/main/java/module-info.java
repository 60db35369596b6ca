/** Apache's producer and consumer interfaces on the Decant Kafka client. */
// Apache's jar is no module.
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"}) module dev.decant.kafka.apache {
  requires transitive dev.decant.kafka;
  requires transitive kafka.clients;
  // security classes of the application's: an image of jlink has it where it is asked for
  requires static java.security.sasl;
  requires static org.jspecify;

  exports dev.decant.kafka.apache;
}
