/**
 * A Kafka cluster in the process of a test: {@link dev.decant.fake.FakeCluster}. Any client of any language can use it,
 * and a test commands faults, moves its clock and sees each request and record.
 */
@NullMarked
package dev.decant.fake;

import org.jspecify.annotations.NullMarked;
