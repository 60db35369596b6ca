/**
 * A Kafka cluster in the process of a test: {@link dev.decant.fake.FakeCluster}. Clients of any language can use it; a
 * test injects faults, moves the clock and sees each request and record.
 */
@NullMarked
package dev.decant.fake;

import org.jspecify.annotations.NullMarked;
