/** Work on a consumer's records in parallel, by key or by partition, with retries and dead letters. */
module dev.decant.kafka.work {
  requires transitive dev.decant.kafka;
  requires static org.jspecify;

  exports dev.decant.kafka.work;
}
