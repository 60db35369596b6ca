/** The client: one loop, one set of connections and one memory bound for all its producers and consumers. */
@NullMarked
package dev.decant.kafka.client;

import org.jspecify.annotations.NullMarked;
