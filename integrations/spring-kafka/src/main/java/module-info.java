/** Spring Kafka's factories on the Decant Kafka client. */
// Neither Spring's jars nor Apache's are modules; Spring's manifests at least say their names.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) module dev.decant.spring.kafka {
  requires transitive dev.decant.kafka.apache;
  requires transitive kafka.clients;
  requires spring.beans;
  requires spring.context;
  requires spring.core;
  requires transitive spring.kafka;
  requires static org.jspecify;

  exports dev.decant.spring.kafka;
}
