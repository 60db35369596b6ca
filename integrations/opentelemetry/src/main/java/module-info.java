/** What a Kafka client or a FIX engine counts, as metrics of OpenTelemetry, and trace context in record headers. */
// OpenTelemetry's jars are no modules; their names are stable all the same, since their manifests say them.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) module dev.decant.opentelemetry {
  // for FixEngineMetrics alone; transitive, javac would look for it wherever this module is used
  requires static dev.decant.fix;
  requires transitive dev.decant.kafka;
  // for works alone, as above
  requires static dev.decant.kafka.work;
  requires transitive io.opentelemetry.api;
  requires transitive io.opentelemetry.context;
  requires static org.jspecify;

  exports dev.decant.opentelemetry;
}
