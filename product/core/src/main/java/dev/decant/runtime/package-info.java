/**
 * Checks whether collector, memory, processors, carrier threads and flags of a JVM suit a messaging client. Each
 * finding comes with its measured value and its cure.
 */
@NullMarked
package dev.decant.runtime;

import org.jspecify.annotations.NullMarked;
