/** Auto-configuration that gives applications of Spring Boot Decant's clients. */
// Neither Spring's jars nor Apache's are modules; the manifests of Spring's say their names.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) module dev.decant.spring.boot.starter {
  requires transitive dev.decant.kafka;
  requires dev.decant.kafka.apache;
  requires dev.decant.spring.kafka;
  requires kafka.clients;
  requires spring.beans;
  requires spring.boot;
  requires spring.boot.autoconfigure;
  requires spring.context;
  requires spring.core;
  requires spring.kafka;
  // applications with Kafka Streams, with Boot's Actuator, with Micrometer
  requires static dev.decant.kafka.streams;
  requires static dev.decant.micrometer;
  requires static kafka.streams;
  requires static micrometer.core;
  requires static spring.boot.actuator;
  requires static spring.boot.actuator.autoconfigure;
  requires static spring.boot.health;
  requires static org.jspecify;

  exports dev.decant.spring.boot;

  // Spring makes the beans, and Jackson reads the endpoint's records
  opens dev.decant.spring.boot;
}
