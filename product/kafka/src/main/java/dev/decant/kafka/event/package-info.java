/**
 * What can be watched of a client: one small listener interface per domain. A listener is told of the methods it
 * overrides; what nobody overrides costs one load and one branch.
 */
@NullMarked
package dev.decant.kafka.event;

import org.jspecify.annotations.NullMarked;
