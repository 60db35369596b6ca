/** Checks the runtime of a JVM that is started for the check, or of a running one. */
@NullMarked
package dev.decant.lab.doctor;

import org.jspecify.annotations.NullMarked;
