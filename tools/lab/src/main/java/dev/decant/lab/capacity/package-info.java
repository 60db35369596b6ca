/**
 * The cost of a client with many brokers, partitions and members: a fake cluster of that size runs in its own JVM, the
 * clients in others.
 */
@NullMarked
package dev.decant.lab.capacity;

import org.jspecify.annotations.NullMarked;
