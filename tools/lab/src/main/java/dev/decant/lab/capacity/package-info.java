/**
 * What a client takes beside many brokers, partitions and members: a fake cluster of that size in a JVM of its own, and
 * clients in others.
 */
@NullMarked
package dev.decant.lab.capacity;

import org.jspecify.annotations.NullMarked;
