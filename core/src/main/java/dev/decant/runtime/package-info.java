/**
 * The check of the runtime: whether collector, memory, processors, carrier threads and flags of a JVM suit a messaging
 * client, with the measured value and the cure of each misfit.
 */
@NullMarked
package dev.decant.runtime;

import org.jspecify.annotations.NullMarked;
