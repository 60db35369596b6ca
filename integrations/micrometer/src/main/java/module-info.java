/** What a Kafka client or a FIX engine counts, as meters of Micrometer. */
// Micrometer's jars are no modules; their names are stable all the same, since their manifests say them.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) module dev.decant.micrometer {
  // for FixEngineMetrics alone; transitive, javac would look for it wherever this module is used
  requires static dev.decant.fix;
  requires transitive dev.decant.kafka;
  // for works alone, as above
  requires static dev.decant.kafka.work;
  requires transitive micrometer.core;
  requires static org.jspecify;

  exports dev.decant.micrometer;
}
