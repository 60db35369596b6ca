/**
 * Beans that take the places of Micronaut Kafka's own, so that its listeners and clients run on Decant. The dependency
 * alone puts them there; {@code decant.enabled=false} leaves Micronaut's.
 */
@NullMarked
package dev.decant.micronaut;

import org.jspecify.annotations.NullMarked;
