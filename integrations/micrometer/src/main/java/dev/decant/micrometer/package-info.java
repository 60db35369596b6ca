/** A Kafka client's statistics, status and latencies as meters of Micrometer. */
@NullMarked
package dev.decant.micrometer;

import org.jspecify.annotations.NullMarked;
