/** Scenarios: small text files that say what each client does, and the bars that it is held to. */
@NullMarked
package dev.decant.lab.scenario;

import org.jspecify.annotations.NullMarked;
