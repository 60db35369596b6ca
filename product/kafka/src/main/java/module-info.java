/** The Kafka client: connections and metadata, producer and consumer, over the wire and without Apache's classes. */
// The settings are exported to a module that is built after this one, so javac does not find it.
@SuppressWarnings("module") module dev.decant.kafka {
  requires transitive dev.decant.kafka.protocol;
  // for token endpoints of OAUTHBEARER
  requires java.net.http;
  // for Kerberos, and optional: an image of jlink has these modules only if it names them
  requires static java.security.jgss;
  requires static java.security.sasl;
  // for dev.decant.kafka.jfr, and optional: the client runs without Flight Recorder, too
  requires static jdk.jfr;
  requires static org.jspecify;

  uses dev.decant.kafka.compression.CompressionCodec;

  exports dev.decant.kafka;
  exports dev.decant.kafka.assignor;
  exports dev.decant.kafka.client;
  exports dev.decant.kafka.compression;
  exports dev.decant.kafka.consumer;
  exports dev.decant.kafka.event;
  exports dev.decant.kafka.jfr;
  exports dev.decant.kafka.producer;
  exports dev.decant.kafka.security;
  exports dev.decant.kafka.serialization;
  exports dev.decant.kafka.cluster to dev.decant.kafka.apache, dev.decant.kafka.work;
  exports dev.decant.kafka.internal to dev.decant.kafka.apache, dev.decant.kafka.work;
  exports dev.decant.kafka.memory to dev.decant.kafka.apache;
  exports dev.decant.kafka.settings to dev.decant.kafka.apache;
  exports dev.decant.kafka.telemetry to dev.decant.kafka.apache;
}
