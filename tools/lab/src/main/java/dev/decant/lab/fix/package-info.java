/**
 * The reference test of FIX engines: orders there and back between two sessions of one JVM, for Decant and for other
 * engines.
 */
@NullMarked
package dev.decant.lab.fix;

import org.jspecify.annotations.NullMarked;
