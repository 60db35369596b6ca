/** The JVMs for the sides of a measurement. */
@NullMarked
package dev.decant.lab.jvm;

import org.jspecify.annotations.NullMarked;
