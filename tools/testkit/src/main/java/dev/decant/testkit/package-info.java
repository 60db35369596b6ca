/**
 * Real Kafka brokers for tests and measurements, each in a JVM of its own, and probes of this JVM. Nothing here fakes a
 * broker: what a test learns is what Apache Kafka does.
 */
@NullMarked
package dev.decant.testkit;

import org.jspecify.annotations.NullMarked;
