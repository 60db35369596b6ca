/** The FIX engine: messages, sessions, dictionaries, stores and logs, without garbage. Java 21 and newer. */
module dev.decant.fix {
  requires transitive dev.decant.core;
  requires java.xml;
  // Only dev.decant.fix.jmx uses it: an engine runs on a JVM without java.management.
  requires static java.management;
  // Only dev.decant.fix.jfr uses it: an engine runs on a JVM without Flight Recorder.
  requires static jdk.jfr;
  requires static org.jspecify;

  exports dev.decant.fix;
  exports dev.decant.fix.dictionary;
  exports dev.decant.fix.event;
  exports dev.decant.fix.jfr;
  exports dev.decant.fix.jmx;
  exports dev.decant.fix.log;
  exports dev.decant.fix.message;
  exports dev.decant.fix.schedule;
  exports dev.decant.fix.settings;
  exports dev.decant.fix.status;
  exports dev.decant.fix.store;
}
