/**
 * Real Kafka brokers for tests and measurements, each in a JVM of its own, and probes of this JVM. The package has no
 * fake broker: a test observes the behaviour of Apache Kafka.
 */
@NullMarked
package dev.decant.testkit;

import org.jspecify.annotations.NullMarked;
