/** The client: one loop, one set of connections and one memory bound for all its producers and consumers. */
@NullMarked
package dev.decant.kafka;

import org.jspecify.annotations.NullMarked;
