/** Parallel work on the records of Apache's consumer. */
// Apache's jar is no module.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) module dev.decant.kafka.work.apache {
  requires transitive dev.decant.kafka.work;
  requires dev.decant.kafka.apache;
  requires transitive kafka.clients;
  requires static org.jspecify;

  exports dev.decant.kafka.work.apache;
}
