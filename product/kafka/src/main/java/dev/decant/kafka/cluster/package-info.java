/**
 * Brokers, their connections, and the metadata with the leader of each partition. Exported only to Decant's own
 * modules.
 */
@NullMarked
package dev.decant.kafka.cluster;

import org.jspecify.annotations.NullMarked;
