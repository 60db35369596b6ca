/** Logs of partitions in memory, in Kafka's own format, with the state of their producers. Owner of the loop only. */
@NullMarked
package dev.decant.fake.log;

import org.jspecify.annotations.NullMarked;
