/**
 * Apache's interfaces {@code Producer} and {@code Consumer}, with the behaviour of Apache's own classes and the cost of
 * Decant's.
 */
@NullMarked
package dev.decant.kafka.apache;

import org.jspecify.annotations.NullMarked;
