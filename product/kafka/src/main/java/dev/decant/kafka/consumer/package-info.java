/** The consumer: polls, positions, commits and rebalances, and the views of records. */
@NullMarked
package dev.decant.kafka.consumer;

import org.jspecify.annotations.NullMarked;
