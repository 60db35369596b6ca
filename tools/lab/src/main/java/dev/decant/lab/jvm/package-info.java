/** The JVMs that the sides of a measurement run on. */
@NullMarked
package dev.decant.lab.jvm;

import org.jspecify.annotations.NullMarked;
