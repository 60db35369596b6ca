/** Brokers, their connections and the metadata that says who leads what. Not exported. */
@NullMarked
package dev.decant.kafka.cluster;

import org.jspecify.annotations.NullMarked;
