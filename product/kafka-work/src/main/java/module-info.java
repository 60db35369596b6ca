/** Work on a consumer's records in parallel, by key or by partition, with retries and dead letters. */
// The bridge is exported to a module that is built after this one, so javac does not find it.
@SuppressWarnings("module") module dev.decant.kafka.work {
  requires transitive dev.decant.kafka;
  // for dev.decant.kafka.work.jfr alone: the work runs where there is no Flight Recorder
  requires static jdk.jfr;
  requires static org.jspecify;

  exports dev.decant.kafka.work;
  exports dev.decant.kafka.work.jfr;
  exports dev.decant.kafka.work.bridge to dev.decant.kafka.work.apache;
}
