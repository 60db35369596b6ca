/** A Kafka cluster in the process of a test, with faults on command. */
// Spring's jars are no modules; their manifests say their names.
@SuppressWarnings("requires-automatic") module dev.decant.fake.broker {
  requires transitive dev.decant.core;
  requires static dev.decant.kafka;
  requires transitive dev.decant.kafka.protocol;
  // tests with JUnit, and those of Spring
  requires static org.junit.jupiter.api;
  requires static spring.beans;
  requires static spring.context;
  requires static spring.core;
  requires static spring.test;
  requires static org.jspecify;

  exports dev.decant.fake;
  exports dev.decant.fake.junit;

  // JUnit makes the extension, and Spring what prepares its contexts
  opens dev.decant.fake.junit to org.junit.platform.commons, spring.core;
}
