/** Scenarios: small text files with the work of each client, and the bars that it must meet. */
@NullMarked
package dev.decant.lab.scenario;

import org.jspecify.annotations.NullMarked;
