/** Checks the runtime of a JVM that is started for that, or of one that runs already. */
@NullMarked
package dev.decant.lab.doctor;

import org.jspecify.annotations.NullMarked;
