/** Kafka Streams on the Decant Kafka client. */
// Apache's jars are no modules, and their names are those of their files.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) module dev.decant.kafka.streams {
  requires transitive dev.decant.kafka.apache;
  requires transitive kafka.clients;
  requires transitive kafka.streams;
  requires static org.jspecify;

  exports dev.decant.kafka.streams;
}
