/** Counters of the running JVM: processor time, allocation and collections, as a whole and by thread. */
@NullMarked
package dev.decant.lab.probe;

import org.jspecify.annotations.NullMarked;
