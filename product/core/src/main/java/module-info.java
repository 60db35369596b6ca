/**
 * The base of Decant: memory, time, completion, event loop, network and TLS. It contains no protocol and depends only
 * on the JDK.
 */
// Packages that are no API are exported to modules that are built after this one, so javac does not find them.
@SuppressWarnings("module") module dev.decant.core {
  // optional, see dev.decant.runtime.RuntimeCheck
  requires static jdk.jfr;
  requires static transitive java.management;
  requires static transitive jdk.management;
  requires static org.jspecify;

  exports dev.decant.buffer;
  exports dev.decant.completion to dev.decant.fix, dev.decant.kafka;
  exports dev.decant.event;
  exports dev.decant.idle;
  exports dev.decant.loop to dev.decant.fake.broker, dev.decant.fix, dev.decant.kafka, dev.decant.kafka.apache;
  exports dev.decant.net to dev.decant.fake.broker, dev.decant.fix, dev.decant.kafka, dev.decant.kafka.apache;
  exports dev.decant.net.tls to dev.decant.fake.broker, dev.decant.fix, dev.decant.kafka;
  exports dev.decant.ring to dev.decant.fix;
  exports dev.decant.runtime;
  exports dev.decant.time;
  exports dev.decant.tls;
}
