/** The main measurement: producing and consuming with several clients, each sample in a fresh JVM, in turns. */
@NullMarked
package dev.decant.lab.stress;

import org.jspecify.annotations.NullMarked;
